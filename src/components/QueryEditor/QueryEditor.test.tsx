import { CoreApp, type DataQueryRequest, type PanelData } from '@grafana/data';
import { setDataSourceSrv, setTemplateSrv, type DataSourceSrv } from '@grafana/runtime';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React, { useState } from 'react';

import { DataSource } from '../../datasource';
import { migrateQuery } from '../../migrate';
import { catalog, compiled, fakeTemplateSrv, instanceSettings } from '../../testing/fixtures';
import * as texts from '../../texts';
import type { PDQuery } from '../../types';
import { QueryEditor } from './QueryEditor';

/** The Prometheus data sources of this Grafana. */
let servers: Array<{ uid: string; name: string }> = [];
const builtIn = { uid: 'grafana', name: '-- Grafana --', type: 'grafana' };

beforeAll(() => {
  setTemplateSrv(fakeTemplateSrv({ model: { value: 'x' } }));
  setDataSourceSrv({
    getList: () => [...servers.map((server) => ({ ...server, type: 'prometheus' })), builtIn],
  } as unknown as DataSourceSrv);
});
afterEach(() => {
  servers = [];
});

async function renderEditor(fields: Partial<PDQuery> = {}, app?: CoreApp) {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  const getCatalog = jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  const compile = jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  const getLabelValues = jest
    .spyOn(datasource, 'getLabelValues')
    .mockResolvedValue(['meta-llama/Llama-3.1-70B', 'Qwen/Qwen2.5-7B']);
  const onRunQuery = jest.fn();
  let latest = migrateQuery({ refId: 'A', signal: 'prefill_request_rate', ...fields });

  function Panel() {
    const [query, setQuery] = useState(latest);
    latest = query;
    return <QueryEditor datasource={datasource} query={query} onChange={setQuery} onRunQuery={onRunQuery} app={app} />;
  }
  const { unmount } = render(<Panel />);
  await act(async () => undefined);
  return {
    user: userEvent.setup({ pointerEventsCheck: 0 }),
    query: () => latest,
    onRunQuery,
    compile,
    getCatalog,
    getLabelValues,
    unmount,
  };
}

const signalPicker = () => screen.getByRole('combobox', { name: texts.query.signal });
const statistic = () => screen.getByRole('combobox', { name: texts.query.stat });
/** An opened menu makes room for a search a moment later, so that it is typed until it stands. */
const search = (typed: string) =>
  waitFor(() => {
    fireEvent.change(statistic(), { target: { value: typed } });
    expect(screen.getByRole('option', { name: new RegExp(`^${typed}`) })).toBeInTheDocument();
  });
const groupOf = (name: string) => screen.queryByRole('radiogroup', { name });

it.each([
  [CoreApp.Explore, { rateMode: 'auto', window: '' }],
  [CoreApp.UnifiedAlerting, { rateMode: 'window', window: '1m' }],
])('saves what it shows of a query that has nothing yet, in %s', async (app, rate) => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  const onChange = jest.fn();
  const query = { refId: 'A' } as PDQuery;
  render(<QueryEditor datasource={datasource} query={query} app={app} onChange={onChange} onRunQuery={jest.fn()} />);
  await act(async () => undefined);
  expect(signalPicker()).toHaveValue('Prefill req/s');
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(onChange).toHaveBeenCalledWith(
    expect.objectContaining({ refId: 'A', signal: 'prefill_request_rate', groupBy: ['model'], ...rate })
  );
});

it('saves a query of Prometheus as what it shows', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  const onChange = jest.fn();
  const saved = { ...datasource.getDefaultQuery(CoreApp.PanelEditor), refId: 'A', expr: 'up', legendFormat: '{{a}}' };
  render(<QueryEditor datasource={datasource} query={saved as PDQuery} onChange={onChange} onRunQuery={jest.fn()} />);
  await act(async () => undefined);
  expect(screen.getByRole('textbox', { name: texts.query.promql })).toHaveValue('up');
  expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ queryType: 'promql', expr: 'up', legend: '{{a}}' }));
});

describe('controls by kind of signal', () => {
  it('shows no statistic, quantile or role for a plain rate', async () => {
    await renderEditor();
    expect(signalPicker()).toHaveValue('Prefill req/s');
    expect(screen.queryByRole('combobox', { name: texts.query.stat })).not.toBeInTheDocument();
    expect(groupOf(texts.query.role)).not.toBeInTheDocument();
    expect(screen.getByRole('combobox', { name: texts.query.groupBy })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: new RegExp(texts.query.options) })).toBeInTheDocument();
  });

  it('shows statistic and role for a distribution of both roles', async () => {
    await renderEditor({ signal: 'ttft', stat: 'quantile' });
    expect(statistic()).toHaveValue('P99');
    expect(groupOf(texts.query.role)).toBeInTheDocument();
  });

  it('shows no rate options for a gauge', async () => {
    await renderEditor({ signal: 'requests_running' });
    expect(screen.queryByRole('button', { name: new RegExp(texts.query.options) })).not.toBeInTheDocument();
    expect(groupOf(texts.query.role)).toBeInTheDocument();
    expect(screen.queryByRole('combobox', { name: texts.query.system })).not.toBeInTheDocument();
  });

  it('offers bytes per request for KV requests only, and refuses a wrong number', async () => {
    const { user, query, onRunQuery } = await renderEditor({ signal: 'kv_transfer_request_rate' });
    await user.click(screen.getByRole('button', { name: new RegExp(texts.query.optionsWithBytes) }));
    const field = screen.getByRole('textbox', { name: texts.query.bytesPerRequest });
    await user.type(field, '-5{Enter}');
    expect(screen.getByText(texts.config.numberNotPositive)).toBeInTheDocument();
    expect(onRunQuery).not.toHaveBeenCalled();
    await user.clear(field);
    await user.type(field, '2684354560{Enter}');
    expect(query().bytesPerRequest).toBe(2684354560);
  });
});

describe('choosing', () => {
  it('finds signals, shows why one is not available, and drops what the new one does not have', async () => {
    const { user, query, onRunQuery } = await renderEditor({
      signal: 'ttft',
      role: 'decode',
      groupBy: ['model', 'priority'],
    });
    await user.click(signalPicker());
    const option = await screen.findByRole('option', { name: /KV transfer time/ });
    expect(option).toHaveTextContent('Not exported here: set FLAGCX_METRICS=1');
    expect(option).toHaveTextContent('seconds');
    await user.click(option);
    expect(query()).toMatchObject({ signal: 'kv_transfer_latency', stat: 'quantile', role: '', groupBy: ['model'] });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['P50', /^P50/, { stat: 'quantile', quantile: 0.5 }],
    ['the mean', /^Mean/, { stat: 'mean' }],
    ['a share', /^Share/, { stat: 'under' }],
    ['a heatmap, which has an axis of time', /^Heatmap/, { stat: 'heatmap', format: 'time_series' }],
  ])('takes %s as one choice', async (_, name, want) => {
    const { user, query } = await renderEditor({ signal: 'ttft', stat: 'quantile', format: 'table' });
    await user.click(statistic());
    await user.click(await screen.findByRole('option', { name }));
    expect(query()).toMatchObject(want);
  });

  it('takes a quantile of its own and refuses an impossible one', async () => {
    const { user, query } = await renderEditor({ signal: 'ttft', stat: 'mean' });
    await user.click(statistic());
    await search('99.9');
    await user.click(screen.getByRole('option', { name: /^99\.9/ }));
    expect(query()).toMatchObject({ stat: 'quantile', quantile: 0.999 });
    expect(statistic()).toHaveValue('P99.9');
    await user.click(statistic());
    await search('150');
    await user.click(screen.getByRole('option', { name: /^150/ }));
    expect(query().quantile).toBe(0.999);
    expect(screen.getByText(texts.query.quantileInvalid)).toBeInTheDocument();
  });

  it('asks for the limit of a share', async () => {
    const { user, query } = await renderEditor({ signal: 'ttft', stat: 'under' });
    await user.type(screen.getByRole('textbox', { name: texts.query.limit }), '0.5{Enter}');
    expect(query().limit).toBe(0.5);
  });

  it('offers the labels of the answer for the legend', async () => {
    const { user, query } = await renderEditor({ signal: 'ttft', groupBy: ['model'] });
    const offered = screen.getByRole('group', { name: texts.query.legendLabels });
    await user.click(within(offered).getByRole('button', { name: '{{model}}' }));
    await user.click(within(offered).getByRole('button', { name: '{{role}}' }));
    expect(query().legend).toBe('{{model}} {{role}}');
    expect(within(offered).queryByRole('button', { name: '{{model}}' })).not.toBeInTheDocument();
  });

  it('marks a signal that the data source does not know', async () => {
    await renderEditor({ signal: 'gone' });
    expect(screen.getByText(texts.query.notInCatalog('gone'))).toBeInTheDocument();
  });

  it('runs on leaving a text field, not on each keystroke', async () => {
    const { user, query, onRunQuery } = await renderEditor();
    await user.click(screen.getByRole('textbox', { name: texts.query.legend }));
    await user.keyboard('{{{{model}}');
    expect(onRunQuery).not.toHaveBeenCalled();
    await user.tab();
    expect(query().legend).toBe('{{model}}');
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });
});

describe('filters', () => {
  it('stores a filter once it is complete, with values from the server', async () => {
    const { user, query, onRunQuery, getLabelValues } = await renderEditor({ signal: 'ttft' });
    await user.click(screen.getByRole('button', { name: texts.query.filterAdd }));
    await user.click(screen.getByRole('combobox', { name: texts.query.filterLabel(1) }));
    await user.click(await screen.findByRole('option', { name: 'model' }));
    expect(query().filters).toEqual([]);
    expect(onRunQuery).not.toHaveBeenCalled();

    await user.click(screen.getByRole('combobox', { name: texts.query.filterValues(1) }));
    await user.click(await screen.findByRole('option', { name: 'meta-llama/Llama-3.1-70B' }));
    expect(getLabelValues).toHaveBeenCalledWith('model', {
      signal: 'ttft',
      role: '',
      system: 'auto',
      filters: [],
    });
    expect(query().filters).toEqual([{ label: 'model', op: '=', values: ['meta-llama/Llama-3.1-70B'] }]);
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('removes a filter', async () => {
    const { user, query } = await renderEditor({ filters: [{ label: 'model', op: '=', values: ['m'] }] });
    await user.click(screen.getByRole('button', { name: texts.query.filterRemove(1) }));
    expect(query().filters).toEqual([]);
  });
});

describe('PromQL', () => {
  const field = () => screen.getByRole('textbox', { name: texts.query.promql });
  const mode = (name: string) => screen.getByRole('radio', { name });

  it('starts from what the builder means and follows it until it is changed by hand', async () => {
    const { user, query, compile } = await renderEditor({ signal: 'ttft', groupBy: ['model'] });
    const section = () => screen.getByRole('group', { name: texts.compiled.title });
    await waitFor(() => expect(section()).toHaveTextContent(compiled.promql[0]));
    await user.click(mode(texts.query.modes.promql));
    expect(field()).toHaveValue(compiled.promql[0]);
    expect(screen.getByText(texts.query.promqlFromSignal('TTFT'))).toBeInTheDocument();

    compile.mockResolvedValue({ ...compiled, promql: ['another', 'one more'] });
    await user.click(mode(texts.query.modes.signal));
    expect(query()).toMatchObject({ queryType: 'signal', signal: 'ttft', groupBy: ['model'] });
    await waitFor(() => expect(section()).toHaveTextContent('one more'));
    await user.click(mode(texts.query.modes.promql));
    expect(field()).toHaveValue('another');
    expect(screen.getByText(new RegExp(texts.query.promqlFirstOf(2)))).toBeInTheDocument();

    await user.type(field(), ' + 1');
    await user.click(mode(texts.query.modes.signal));
    await waitFor(() => expect(section()).toHaveTextContent('one more'));
    await user.click(mode(texts.query.modes.promql));
    expect(field()).toHaveValue('another + 1');
    expect(query()).toMatchObject({ queryType: 'promql', expr: 'another + 1', signal: 'ttft' });
  });

  it('leads from an expression that reads a signal’s metrics to that signal, and back', async () => {
    const expr = 'sum by (model_name) (rate(vllm:request_success_total[5m]))';
    const { user, query } = await renderEditor({ queryType: 'promql', signal: '', expr });
    expect(screen.getByText(texts.query.translate(2))).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: texts.query.translateTo('Decode req/s') }));
    expect(signalPicker()).toHaveValue('Decode req/s');
    expect(query()).toMatchObject({ queryType: 'signal', signal: 'decode_request_rate', groupBy: ['model'] });
    expect(screen.queryByText(texts.query.translate(2))).not.toBeInTheDocument();
    await user.click(mode(texts.query.modes.promql));
    expect(field()).toHaveValue(expr);
  });

  it('shows the filters that it has of its own, and none of a signal', async () => {
    const filters = [{ label: 'pod', op: '=' as const, values: ['p'] }];
    const { unmount } = await renderEditor({ queryType: 'promql', expr: 'up', filters });
    expect(screen.queryByRole('combobox', { name: texts.query.filterLabel(1) })).not.toBeInTheDocument();
    unmount();
    const { user, query } = await renderEditor({ queryType: 'promql', expr: 'up', signal: '', filters });
    expect(screen.getByRole('combobox', { name: texts.query.filterLabel(1) })).toHaveValue('pod');
    await user.click(screen.getByRole('button', { name: texts.query.filterRemove(1) }));
    expect(query().filters).toEqual([]);
    expect(screen.getByRole('button', { name: texts.query.filterAdd })).toBeInTheDocument();
  });

  it('waits for what the builder means where that is still on its way', async () => {
    const { user, query } = await renderEditor({ signal: 'ttft' });
    await user.click(mode(texts.query.modes.promql));
    await waitFor(() => expect(field()).toHaveValue(compiled.promql[0]));
    expect(query()).toMatchObject({ queryType: 'promql', exprMade: true });
  });

  it('shows what the server compiles, with explanation and notices', async () => {
    const { user, compile } = await renderEditor();
    const section = screen.getByRole('group', { name: texts.compiled.title });
    await waitFor(() => expect(section).toHaveTextContent(compiled.promql[0]));
    expect(section).toHaveTextContent('An older name was used.');
    expect(section).toHaveTextContent('window 4s');
    await user.click(within(section).getByRole('button', { name: texts.compiled.explanation }));
    expect(section).toHaveTextContent('Counts requests whose prefill finished.');
    expect(compile).toHaveBeenCalledTimes(1);
    expect(compile.mock.calls[0][0]).toMatchObject({ query: { signal: 'prefill_request_rate' }, maxDataPoints: 1000 });
  });

  it('opens the PromQL in Explore with a Prometheus data source, and offers nothing where there is none', async () => {
    const { unmount } = await renderEditor();
    const section = screen.getByRole('group', { name: texts.compiled.title });
    await waitFor(() => expect(section).toHaveTextContent(compiled.promql[0]));
    expect(within(section).queryByText(texts.compiled.explore)).not.toBeInTheDocument();
    unmount();

    servers = [{ uid: 'prom', name: 'Prometheus' }];
    await renderEditor();
    const link = await screen.findByRole('link', { name: texts.compiled.explore });
    const panes = new URL(link.getAttribute('href') ?? '', 'http://grafana').searchParams.get('panes') ?? '';
    expect(JSON.parse(panes).pd).toMatchObject({
      datasource: 'prom',
      queries: [{ refId: 'A', expr: compiled.promql[0], datasource: { type: 'prometheus', uid: 'prom' } }],
      range: { from: 'now-1h', to: 'now' },
    });
  });

  it('lets the user choose among several Prometheus data sources', async () => {
    servers = ['one', 'two'].map((uid) => ({ uid, name: `Prometheus ${uid}` }));
    const { user } = await renderEditor();
    await user.click(await screen.findByRole('button', { name: texts.compiled.explore }));
    expect(await screen.findByRole('menuitem', { name: 'Prometheus two' })).toHaveAttribute(
      'href',
      expect.stringContaining('two')
    );
  });

  it('shows why a query cannot be compiled', async () => {
    const { compile, user } = await renderEditor({ signal: 'ttft', stat: 'mean' });
    compile.mockRejectedValue({ status: 400, data: { error: { message: 'window: too short', status: 400 } } });
    await user.click(statistic());
    await user.click(await screen.findByRole('option', { name: /^Rate/ }));
    expect(await screen.findByText(`${texts.compiled.failed}: window: too short`)).toBeInTheDocument();
  });

  it('cancels the request when the editor closes', async () => {
    const { compile, unmount } = await renderEditor();
    await waitFor(() => expect(compile).toHaveBeenCalled());
    const signal = compile.mock.calls[0][1];
    unmount();
    expect(signal?.aborted).toBe(true);
  });
});

describe('in an alert rule', () => {
  it('works without a time range, and warns of what has no value there', async () => {
    const { compile } = await renderEditor(
      { signal: 'ttft', stat: 'heatmap', filters: [{ label: 'model', op: '=', values: ['$model'] }] },
      CoreApp.UnifiedAlerting
    );
    expect(screen.getByText(texts.query.alertVariables)).toBeInTheDocument();
    expect(screen.getByText(texts.query.alertHeatmap)).toBeInTheDocument();
    await waitFor(() => expect(compile).toHaveBeenCalled());
  });

  it('warns of nothing that works', async () => {
    await renderEditor({ signal: 'ttft' }, CoreApp.UnifiedAlerting);
    expect(screen.queryByText(texts.query.alertVariables)).not.toBeInTheDocument();
  });
});

it('makes two calls when it opens', async () => {
  const { getCatalog, compile, getLabelValues } = await renderEditor({
    signal: 'ttft',
    filters: [{ label: 'model', op: '=', values: ['x'] }],
  });
  await waitFor(() => expect(compile).toHaveBeenCalledTimes(1));
  expect(getCatalog).toHaveBeenCalledTimes(1);
  expect(getLabelValues).not.toHaveBeenCalled();
});

it('compiles once where the panel asks by itself, with the step of its request', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'getCatalog').mockResolvedValue(catalog);
  const compile = jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  const query = migrateQuery({ refId: 'A', signal: 'ttft' });
  const editor = (request?: Partial<DataQueryRequest>) => (
    <QueryEditor
      datasource={datasource}
      query={query}
      app={CoreApp.Explore}
      data={request && ({ series: [], state: 'Loading', request } as unknown as PanelData)}
      onChange={jest.fn()}
      onRunQuery={jest.fn()}
    />
  );
  const { rerender } = render(editor());
  await act(() => new Promise((resolve) => setTimeout(resolve, 400)));
  expect(compile).not.toHaveBeenCalled();
  rerender(editor({ intervalMs: 2000, maxDataPoints: 1500 }));
  await waitFor(() => expect(compile).toHaveBeenCalledTimes(1));
  expect(compile.mock.calls[0][0]).toMatchObject({ intervalMs: 2000, maxDataPoints: 1500 });
});

it('does not wait for a request for ever', async () => {
  const { compile } = await renderEditor({ signal: 'ttft' }, CoreApp.PanelEditor);
  await waitFor(() => expect(compile).toHaveBeenCalledTimes(1), { timeout: 4000 });
});

it('says that the signals could not be loaded, and tries again', async () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  jest.spyOn(datasource, 'compile').mockResolvedValue(compiled);
  jest.spyOn(datasource, 'getResource').mockRejectedValueOnce(new Error('no route')).mockResolvedValue(catalog);
  const query = migrateQuery({ refId: 'A', signal: 'ttft' });
  render(<QueryEditor datasource={datasource} query={query} onChange={jest.fn()} onRunQuery={jest.fn()} />);
  expect(await screen.findByText(/no route/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: texts.query.retry }));
  await waitFor(() => expect(signalPicker()).toHaveValue('TTFT'));
  expect(screen.queryByText(/no route/)).not.toBeInTheDocument();
});
