import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React from 'react';

import { DataSource } from '../datasource';
import type { KnownSignals } from '../hooks/useCatalog';
import { catalog, fakeTemplateSrv, instanceSettings } from '../testing/fixtures';
import * as texts from '../texts';
import { CatalogState } from './CatalogState';

function show(known: Partial<KnownSignals>) {
  const retry = jest.fn();
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  const { container } = render(<CatalogState known={{ retry, loading: false, ...known }} datasource={datasource} />);
  return { container, retry };
}

const unavailable = {
  ...catalog,
  signals: catalog.signals.map((signal) => ({ ...signal, available: false })),
};

it.each([
  ['the back end does not answer', { error: 'bad gateway' }, 'bad gateway'],
  ['the server cannot be looked at', { catalog: { ...catalog, unseen: 'Nobody answers.' } }, 'Nobody answers.'],
  ['the server has no engine', { catalog: unavailable }, texts.query.nothingFoundHelp],
])('says so, leads to the settings and tries again where %s', async (_, known, text) => {
  const { retry } = show(known);
  expect(screen.getByText(new RegExp(text))).toBeInTheDocument();
  expect(screen.getByRole('link', { name: texts.query.openSettings })).toHaveAttribute(
    'href',
    '/connections/datasources/edit/pd'
  );
  await userEvent.click(screen.getByRole('button', { name: texts.query.retry }));
  expect(retry).toHaveBeenCalledTimes(1);
});

it('says nothing while loading and where there are signals', () => {
  expect(show({}).container).toBeEmptyDOMElement();
  expect(show({ catalog }).container).toBeEmptyDOMElement();
});
