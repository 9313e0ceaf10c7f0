import {
  getDefaultTimeRange,
  type AdHocVariableFilter,
  type DataQueryRequest,
  type DataQueryResponse,
} from '@grafana/data';
import { DataSourceWithBackend } from '@grafana/runtime';
import { lastValueFrom, of } from 'rxjs';

import { DataSource } from './datasource';
import { migrateQuery } from './migrate';
import { catalog, fakeTemplateSrv, instanceSettings, type FakeVariable } from './testing/fixtures';
import * as texts from './texts';
import type { LabelFilter, PDQuery } from './types';

const LLAMA = 'meta-llama/Llama-3.1-70B';
const QWEN = 'Qwen/Qwen2.5-7B';

function setUp(variables: Record<string, FakeVariable> = {}) {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv(variables));
  const getResource = jest.spyOn(datasource, 'getResource');
  return { datasource, getResource };
}

function query(fields: Partial<PDQuery>): PDQuery {
  return migrateQuery({ refId: 'A', signal: 'ttft', ...fields });
}

function filtersOf(variables: Record<string, FakeVariable>, filter: LabelFilter, adHoc?: AdHocVariableFilter[]) {
  const { datasource } = setUp(variables);
  return datasource.applyTemplateVariables(query({ filters: [filter] }), {}, adHoc).filters;
}

describe('applyTemplateVariables', () => {
  it('leaves model names as they are, whatever they hold', () => {
    const filter: LabelFilter = { label: 'model', op: '=', values: [LLAMA, 'a"b\\c', '模型-1'] };
    expect(filtersOf({}, filter)).toEqual([filter]);
  });

  it('puts the number of a what-if variable into the query', () => {
    const { datasource } = setUp({ bytes: { value: '2684354560' } });
    const asked = datasource.applyTemplateVariables(query({ bytesPerRequest: '$bytes' }), {});
    expect(asked.bytesPerRequest).toBe('2684354560');
  });

  it('turns a multi-value variable into several values', () => {
    const filter: LabelFilter = { label: 'model', op: '=', values: ['$model'] };
    expect(filtersOf({ model: { value: [LLAMA, QWEN], multi: true } }, filter)).toEqual([
      { label: 'model', op: '=', values: [LLAMA, QWEN] },
    ]);
  });

  it('asks for every role where all are chosen', () => {
    const role = (value: string) =>
      setUp({ role: { value } }).datasource.applyTemplateVariables(query({ role: '$role' }), {}).role;
    expect(role('.*')).toBe('');
    expect(role('decode')).toBe('decode');
  });

  it('combines text and variables', () => {
    const filter: LabelFilter = { label: 'instance', op: '=', values: ['${host}-0:$port'] };
    const variables = { host: { value: ['p1', 'p2'], multi: true }, port: { value: '8000' } };
    expect(filtersOf(variables, filter)).toEqual([{ label: 'instance', op: '=', values: ['p1-0:8000', 'p2-0:8000'] }]);
  });

  it('takes chosen values in a pattern literally, and typed ones as a pattern', () => {
    const filter: LabelFilter = { label: 'model', op: '=~', values: ['$model', '$typed'] };
    const variables = { model: { value: [LLAMA], multi: true }, typed: { value: 'Qwen.*' } };
    expect(filtersOf(variables, filter)[0].values).toEqual(['meta-llama/Llama-3\\.1-70B', 'Qwen.*']);
  });

  it('drops a filter whose variable has no selection, but keeps an empty value that was typed', () => {
    expect(filtersOf({ model: { value: [], multi: true } }, { label: 'model', op: '=', values: ['$model'] })).toEqual(
      []
    );
    expect(filtersOf({}, { label: 'pod', op: '=', values: [''] })).toEqual([{ label: 'pod', op: '=', values: [''] }]);
  });

  it('reads the custom "All" value .* as no restriction', () => {
    expect(filtersOf({ model: { value: '.*' } }, { label: 'model', op: '=', values: ['$model'] })).toEqual([]);
  });

  it('passes ad hoc filters on as structured filters', () => {
    const adHoc: AdHocVariableFilter[] = [
      { key: 'model', operator: '=', value: LLAMA },
      { key: 'pod', operator: '=|', value: 'a', values: ['a', 'b'] },
      { key: 'instance', operator: '!~', value: 'p.*' },
    ];
    expect(filtersOf({}, { label: 'role', op: '=', values: ['x'] }, adHoc)).toEqual([
      { label: 'role', op: '=', values: ['x'] },
      { label: 'model', op: '=', values: [LLAMA] },
      { label: 'pod', op: '=', values: ['a', 'b'] },
      { label: 'instance', op: '!~', values: ['p.*'] },
    ]);
  });

  it('replaces every field that can hold a variable and leaves the time macros to the server', () => {
    const { datasource } = setUp({
      signal: { value: 'itl' },
      role: { value: 'decode' },
      system: { value: 'vllm' },
      by: { value: ['model', 'instance'], multi: true },
      w: { value: '1m' },
    });
    const scopedVars = { __interval: { text: '5s', value: '5s' } };
    const saved = query({
      signal: '$signal',
      role: '$role',
      system: '$system',
      groupBy: ['$by'],
      window: '$w',
      expr: 'rate(x[$__interval])',
    });
    expect(datasource.applyTemplateVariables(saved, scopedVars)).toMatchObject({
      signal: 'itl',
      role: 'decode',
      system: 'vllm',
      groupBy: ['model', 'instance'],
      window: '1m',
      expr: 'rate(x[$__interval])',
    });
  });

  it('escapes variables in hand-written PromQL for a quoted pattern', () => {
    const { datasource } = setUp({ model: { value: [LLAMA, QWEN], multi: true } });
    const saved = query({ queryType: 'promql', expr: 'up{model_name=~"$model"}' });
    expect(datasource.applyTemplateVariables(saved, {}).expr).toBe(
      'up{model_name=~"(meta-llama/Llama-3\\\\.1-70B|Qwen/Qwen2\\\\.5-7B)"}'
    );
  });
});

describe('PromQL', () => {
  const builder: Partial<PDQuery> = {
    queryType: 'promql',
    expr: 'up',
    legend: '{{job}}',
    role: '$role',
    window: '$w',
    groupBy: ['$by'],
    filters: [{ label: 'pod', op: '=', values: ['$pod'] }],
  };
  const adHoc: AdHocVariableFilter[] = [{ key: 'model', operator: '=|', value: LLAMA, values: [LLAMA, QWEN] }];

  it('gets the filters of the dashboard, and none of the signal that it once was', () => {
    const { datasource } = setUp({ pod: { value: 'p' } });
    const asked = datasource.applyTemplateVariables(query(builder), {}, adHoc);
    expect(asked).toMatchObject({
      queryType: 'promql',
      expr: 'up',
      legend: '{{job}}',
      signal: '',
      role: '',
      window: '',
    });
    expect(asked.groupBy).toEqual([]);
    expect(asked.filters).toEqual([{ label: 'model', op: '=', values: [LLAMA, QWEN] }]);
    expect(datasource.interpolateVariablesInQueries([query(builder)], {})[0].filters).toEqual([]);
  });

  it('keeps filters of its own, as after the way to Explore', () => {
    const { datasource } = setUp({ pod: { value: 'p' } });
    const [asked] = datasource.interpolateVariablesInQueries([query({ ...builder, signal: '' })], {}, adHoc);
    const again = datasource.applyTemplateVariables(asked, {});
    expect(again.filters).toEqual([
      { label: 'pod', op: '=', values: ['p'] },
      { label: 'model', op: '=', values: [LLAMA, QWEN] },
    ]);
  });

  it('has no variables but those that it reads', () => {
    const { datasource } = setUp();
    expect(datasource.hasVariables(query(builder))).toBe(false);
    expect(datasource.hasVariables(query({ ...builder, signal: '' }))).toBe(true);
  });

  it('is narrowed on a click in Explore', () => {
    const { datasource } = setUp();
    const action = { type: 'ADD_FILTER_OUT', options: { key: 'model_name', value: LLAMA } };
    const narrowed = datasource.modifyQuery(query(builder), action);
    expect(datasource.applyTemplateVariables(narrowed, {}).filters).toEqual([
      { label: 'model_name', op: '!=', values: [LLAMA] },
    ]);
  });
});

describe('what a dashboard groups by', () => {
  const ask = async (targets: PDQuery[], groupByKeys?: string[]) => {
    const { datasource } = setUp();
    const data = targets.map(({ refId }) => ({ refId, fields: [], length: 0 }));
    const send = jest.spyOn(DataSourceWithBackend.prototype, 'query').mockReturnValue(of({ data }));
    const answer: DataQueryResponse = await lastValueFrom(
      datasource.query({
        targets,
        groupByKeys,
        range: getDefaultTimeRange(),
        timezone: 'utc',
      } as DataQueryRequest<PDQuery>)
    );
    const sent = send.mock.lastCall?.[0].targets as PDQuery[];
    send.mockRestore();
    return { sent, notices: answer.data.map(({ meta }) => meta?.notices?.map(({ text }: { text: string }) => text)) };
  };

  it('comes to what a signal is grouped by', async () => {
    const { sent, notices } = await ask([query({ groupBy: ['model'] })], ['instance', 'model']);
    expect(sent[0].groupBy).toEqual(['model', 'instance']);
    expect(notices).toEqual([undefined]);
  });

  it('is said not to reach what else is asked', async () => {
    const targets = [query({}), { ...query({ queryType: 'promql', expr: 'up' }), refId: 'B' }];
    const { notices } = await ask(targets, ['instance']);
    expect(notices).toEqual([undefined, [texts.query.groupByNotApplied(['instance'])]]);
    expect((await ask(targets)).notices).toEqual([undefined, undefined]);
  });
});

describe('queries', () => {
  it('starts with prefill requests by model', () => {
    const { datasource } = setUp();
    expect(datasource.getDefaultQuery('dashboard' as never)).toMatchObject({
      signal: 'prefill_request_rate',
      groupBy: ['model'],
    });
  });

  it('does not run what asks for nothing', () => {
    const { datasource } = setUp();
    expect(datasource.filterQuery(query({ signal: '' }))).toBe(false);
    expect(datasource.filterQuery(query({ queryType: 'promql', expr: '  ' }))).toBe(false);
    expect(datasource.filterQuery(query({ hide: true }))).toBe(false);
    expect(datasource.filterQuery(query({}))).toBe(true);
    expect(datasource.filterQuery(query({ queryType: 'inventory', signal: '' }))).toBe(true);
  });

  it('describes itself in one line', () => {
    const { datasource } = setUp();
    const saved = query({ stat: 'quantile', quantile: 0.999, role: 'decode', groupBy: ['model'] });
    expect(datasource.getQueryDisplayText(saved)).toBe('TTFT P99.9 on decode by model');
  });

  it('finds variables in any field, since alerts cannot have them', () => {
    const { datasource } = setUp({ model: { value: 'x' } });
    expect(datasource.targetContainsTemplate(query({}))).toBe(false);
    expect(
      datasource.targetContainsTemplate(query({ filters: [{ label: 'model', op: '=', values: ['$model'] }] }))
    ).toBe(true);
  });

  it('finds variables also where nobody knows which there are, as in an alert rule', () => {
    const { datasource } = setUp();
    expect(datasource.hasVariables(query({ filters: [{ label: 'model', op: '=', values: ['[[model]]'] }] }))).toBe(
      true
    );
    expect(datasource.hasVariables(query({ bytesPerRequest: '${bytes:raw}' }))).toBe(true);
    expect(datasource.hasVariables(query({ expr: 'rate(x[$__rate_interval])', window: '$__interval' }))).toBe(false);
  });

  it('narrows the query on a click in Explore', () => {
    const { datasource } = setUp();
    const action = { type: 'ADD_FILTER', options: { key: 'model', value: LLAMA } };
    expect(datasource.modifyQuery(query({}), action).filters).toEqual([{ label: 'model', op: '=', values: [LLAMA] }]);
  });
});

describe('the health check', () => {
  const outcome = (status: string, message: string, details?: object) => {
    const { datasource } = setUp();
    jest
      .spyOn(datasource as unknown as { callHealthCheck: () => Promise<unknown> }, 'callHealthCheck')
      .mockResolvedValue({ status, message, details });
    return datasource.testDatasource();
  };

  it('is a plain success only where all can be drawn, and shows the lines below the first', async () => {
    const lines = { message: 'It answers.', verboseMessage: 'Scrape interval 1s.' };
    const shown = { message: 'It answers.', details: { message: 'Scrape interval 1s.' } };
    expect(await outcome('OK', 'It answers. Scrape interval 1s.', { ...lines, severity: 'info' })).toEqual({
      ...shown,
      status: 'success',
    });
    expect(await outcome('OK', 'It answers. Scrape interval 1s.', { ...lines, severity: 'warning' })).toEqual({
      ...shown,
      status: 'warning',
    });
  });

  it('fails with the back end’s words, once', async () => {
    await expect(outcome('ERROR', 'no URL is set', { severity: 'error' })).rejects.toEqual(new Error('no URL is set'));
    await expect(outcome('UNKNOWN', 'gone')).rejects.toEqual(new Error('gone'));
  });
});

describe('resources', () => {
  it('asks for the catalogue once, and again after a failure', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockRejectedValueOnce(new Error('down')).mockResolvedValue(catalog);
    await expect(datasource.getCatalog()).rejects.toThrow('down');
    await datasource.getCatalog();
    await datasource.getCatalog();
    expect(getResource).toHaveBeenCalledTimes(2);
  });

  it('looks at the server anew for a user who asks again', async () => {
    const { datasource, getResource } = setUp();
    const [old, fresh] = [{ ...catalog, systems: [] }, catalog];
    getResource.mockResolvedValueOnce(old).mockResolvedValue(fresh);
    await datasource.getCatalog();
    expect(await datasource.getCatalog(true)).toEqual(fresh);
    expect(getResource).toHaveBeenLastCalledWith('catalog', { again: 'true' }, expect.anything());
    await datasource.getCatalog();
    expect(getResource).toHaveBeenCalledTimes(2);
  });

  it('offers the labels of the signals on the dashboard as ad hoc keys', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockResolvedValue(catalog);
    const keys = await datasource.getTagKeys({ filters: [], queries: [query({ signal: 'ttft' })] });
    expect(keys.map(({ text }) => text)).toEqual(['instance', 'model', 'priority']);
  });

  it('offers all labels where a panel shows PromQL, whatever signal that once was', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockResolvedValue({ ...catalog, values: [] });
    const promql = query({ signal: 'ttft', queryType: 'promql', expr: 'up' });
    const all = await datasource.getTagKeys({ filters: [] });
    expect(await datasource.getTagKeys({ filters: [], queries: [promql] })).toEqual(all);
    expect(await datasource.getTagKeys({ filters: [], queries: [query({ signal: 'itl' }), promql] })).toEqual(all);
    await datasource.getTagValues({ key: 'model', filters: [], queries: [promql] });
    expect(getResource).toHaveBeenLastCalledWith('labels/model/values', {}, expect.anything());
  });

  it('lists label values for variables, in new and old spelling', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockResolvedValue({ values: [LLAMA] });
    expect(await datasource.metricFindQuery('models')).toEqual([{ text: LLAMA, value: LLAMA }]);
    await datasource.metricFindQuery({
      refId: 'V',
      label: 'a/b',
      signal: 'ttft',
      role: '',
      system: 'vllm',
      filters: [],
    });
    expect(getResource).toHaveBeenLastCalledWith(
      'labels/a%2Fb/values',
      { signal: 'ttft', system: 'vllm' },
      expect.anything()
    );
  });

  it('narrows values by the other filters, but not by one that nobody can decide', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockResolvedValue({ values: [] });
    const model: LabelFilter = { label: 'model', op: '=', values: [LLAMA] };
    const filters: LabelFilter[] = [
      model,
      { label: 'pod', op: '=', values: ['$pod'] },
      { label: 'job', op: '=', values: ['x'] },
    ];
    await datasource.getLabelValues('job', { signal: 'ttft', filters });
    expect(getResource).toHaveBeenLastCalledWith(
      'labels/job/values',
      { signal: 'ttft', filters: JSON.stringify([model]) },
      expect.anything()
    );
    await datasource.getTagValues({
      key: 'job',
      filters: [{ key: 'model', operator: '=|', value: LLAMA, values: [LLAMA] }],
    });
    expect(getResource).toHaveBeenLastCalledWith(
      'labels/job/values',
      { filters: JSON.stringify([model]) },
      expect.anything()
    );
  });

  it('replaces the variables that a variable depends on', async () => {
    const { datasource, getResource } = setUp({ model: { value: [LLAMA, QWEN], multi: true } });
    getResource.mockResolvedValue({ values: ['a'] });
    const filters: LabelFilter[] = [{ label: 'model', op: '=', values: ['$model'] }];
    await datasource.metricFindQuery({
      refId: 'V',
      label: 'instance',
      signal: '',
      role: 'decode',
      system: 'auto',
      filters,
    });
    expect(getResource).toHaveBeenLastCalledWith(
      'labels/instance/values',
      { role: 'decode', system: 'auto', filters: JSON.stringify([{ label: 'model', op: '=', values: [LLAMA, QWEN] }]) },
      expect.anything()
    );
  });

  it('survives a server that has no values', async () => {
    const { datasource, getResource } = setUp();
    getResource.mockResolvedValue({ values: null });
    expect(await datasource.getTagValues({ key: 'model', filters: [] })).toEqual([]);
  });
});
