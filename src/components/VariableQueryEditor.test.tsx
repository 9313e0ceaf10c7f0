import { setTemplateSrv } from '@grafana/runtime';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React from 'react';

import { DataSource } from '../datasource';
import { catalog, fakeTemplateSrv, instanceSettings } from '../testing/fixtures';
import type { PDVariableQuery } from '../types';
import * as texts from '../texts';
import { VariableQueryEditor } from './VariableQueryEditor';

beforeAll(() => setTemplateSrv(fakeTemplateSrv()));

it('reads an old text query and stores a structured one', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  jest.spyOn(datasource, 'getLabelValues').mockResolvedValue(['llama', 'qwen']);
  const onChange = jest.fn();
  const saved: unknown = 'models';
  render(
    <VariableQueryEditor
      datasource={datasource}
      query={saved as PDVariableQuery}
      onChange={onChange}
      onRunQuery={jest.fn()}
    />
  );
  await act(async () => undefined);
  expect(await screen.findByText(/llama, qwen/)).toBeInTheDocument();
  const label = screen.getByRole('combobox', { name: texts.variable.label });
  expect(label).toHaveValue('Models');
  await userEvent.click(label);
  await userEvent.click(await screen.findByRole('option', { name: 'priority' }));
  expect(onChange).toHaveBeenCalledWith({
    refId: 'PDVariableQuery',
    label: 'priority',
    signal: '',
    role: '',
    system: 'auto',
    filters: [],
  });
});

it('saves what it shows of a new variable', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  jest.spyOn(datasource, 'getLabelValues').mockResolvedValue(['llama']);
  const [onChange, onRunQuery] = [jest.fn(), jest.fn()];
  const nothing: unknown = '';
  render(
    <VariableQueryEditor
      datasource={datasource}
      query={nothing as PDVariableQuery}
      onChange={onChange}
      onRunQuery={onRunQuery}
    />
  );
  await act(async () => undefined);
  expect(screen.getByRole('combobox', { name: texts.variable.label })).toHaveValue('Models');
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ label: 'model', system: 'auto', filters: [] }));
  expect(onRunQuery).toHaveBeenCalledTimes(1);
});
