import { setDataSourceSrv, setTemplateSrv, type DataSourceSrv } from '@grafana/runtime';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React from 'react';

import { DataSource } from '../datasource';
import { eventQuery } from '../events';
import { catalog, compiled, fakeTemplateSrv, instanceSettings } from '../testing/fixtures';
import * as texts from '../texts';
import { AnnotationQueryEditor } from './AnnotationQueryEditor';

beforeAll(() => {
  setTemplateSrv(fakeTemplateSrv());
  setDataSourceSrv({ getList: () => [] } as unknown as DataSourceSrv);
});

it('sets the query of the event that is chosen, and names an own query as such', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  const onChange = jest.fn();
  const editor = (signal: string) => (
    <AnnotationQueryEditor
      datasource={datasource}
      query={{ ...eventQuery('transferFailures'), signal, refId: 'Anno' }}
      onChange={onChange}
      onRunQuery={jest.fn()}
    />
  );
  const { rerender } = render(editor('transfer_failure_rate'));
  const kind = screen.getByRole('combobox', { name: texts.annotation.kind });
  expect(kind).toHaveValue(texts.annotation.kinds.transferFailures.label);
  await userEvent.click(kind);
  await userEvent.click(await screen.findByRole('option', { name: new RegExp(texts.annotation.kinds.restarts.label) }));
  expect(onChange).toHaveBeenCalledWith({ ...eventQuery('restarts'), refId: 'Anno' });
  rerender(editor('ttft'));
  expect(kind).toHaveValue(texts.annotation.own);
});
