import { AbstractLabelOperator, type AbstractQuery } from '@grafana/data';

import { DataSource } from './datasource';
import { migrateQuery } from './migrate';
import { compiled, fakeTemplateSrv, instanceSettings } from './testing/fixtures';
import type { PDQuery } from './types';

function setUp(promql?: string[]) {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv({ model: { value: 'a' } }));
  const post = jest.spyOn(datasource, 'postResource');
  if (promql) {
    post.mockResolvedValue({ ...compiled, promql });
  } else {
    post.mockRejectedValue(new Error('down'));
  }
  return { datasource, post };
}

const query = (fields: Partial<PDQuery>) => migrateQuery({ refId: 'A', signal: 'ttft', ...fields });

/** What Grafana's Prometheus data source does with the queries of another one. */
const toPrometheus = (queries: AbstractQuery[]) =>
  queries.map(({ refId, labelMatchers }) => ({
    refId,
    expr: labelMatchers.map(({ name, value }) => `{${name}="${value}"}`).join(),
    range: true,
  }));

/** What Loki's does. */
const toLoki = (queries: AbstractQuery[]) =>
  queries
    .map((query) => ({ ...query, labelMatchers: query.labelMatchers.filter(({ name }) => name !== 'model_name') }))
    .map(({ refId, labelMatchers }) => ({ refId, expr: String(labelMatchers.length), queryType: 'range' }));

it('hands Prometheus the compiled PromQL, each expression as a query of its own', async () => {
  const expressions = ['sum by (le, model_name) (a)', 'sum by (model) (b)'];
  const { datasource, post } = setUp(expressions);
  const exported = await datasource.exportToAbstractQueries([
    query({
      legend: '{{model}} {{role}} {{pod}}',
      role: 'decode',
      filters: [{ label: 'model', op: '=', values: ['$model'] }],
    }),
    query({ refId: 'B', queryType: 'promql', expr: 'up{a="$model"}', legend: '{{a}}', hide: true }),
  ]);
  const code = { editorMode: 'code', format: 'time_series', instant: false, range: true };
  expect(toPrometheus(exported)).toEqual([
    { ...code, refId: 'A', expr: expressions[0], legendFormat: '{{model_name}} decode {{pod}}' },
    { ...code, refId: 'C', expr: expressions[1], legendFormat: '{{model}} decode {{pod}}' },
    { ...code, refId: 'B', expr: 'up{a="$model"}', legendFormat: '{{a}}', hide: true },
  ]);
  expect(post).toHaveBeenCalledTimes(1);
  expect(post.mock.calls[0][1]).toMatchObject({ query: { filters: [{ label: 'model', op: '=', values: ['a'] }] } });
});

it('puts the filters of its own into PromQL', async () => {
  const { datasource } = setUp(['up{pod="p"}']);
  const filters: PDQuery['filters'] = [{ label: 'pod', op: '=', values: ['p'] }];
  const exported = await datasource.exportToAbstractQueries([
    query({ queryType: 'promql', expr: 'up', signal: '', filters }),
    query({ refId: 'B', queryType: 'promql', expr: 'up', filters }),
  ]);
  expect(toPrometheus(exported).map(({ expr }) => expr)).toEqual(['up{pod="p"}', 'up']);
});

it('compiles for the time range that is shown', async () => {
  const { datasource, post } = setUp(['x']);
  const shown = { query: query({}), intervalMs: 30_000, maxDataPoints: 500, from: 1000, to: 86_401_000 };
  await datasource.compile(shown);
  await datasource.exportToAbstractQueries([query({})]);
  const asked = post.mock.calls[1][1];
  expect(asked).toMatchObject({ intervalMs: 30_000, maxDataPoints: 500 });
  expect(asked.to - asked.from).toBe(86_400_000);
});

it('asks for the newest values alone where a table did', async () => {
  const { datasource } = setUp(['x']);
  const [made] = toPrometheus(await datasource.exportToAbstractQueries([query({ format: 'table' })]));
  expect(made).toMatchObject({ format: 'table', instant: true, range: false, legendFormat: '__auto' });
});

it('hands matchers to a data source that knows no PromQL, once for each query', async () => {
  const { datasource } = setUp(['x', 'y']);
  const filters: PDQuery['filters'] = [
    { label: 'pod', op: '!=', values: ['a.b', 'c'] },
    { label: 'model', op: '=', values: ['m'] },
  ];
  const exported = await datasource.exportToAbstractQueries([query({ filters }), query({ refId: 'B' })]);
  expect(exported[0].labelMatchers).toEqual([
    { name: 'pod', operator: AbstractLabelOperator.NotEqualRegEx, value: 'a\\\\.b|c' },
    { name: 'model_name', operator: AbstractLabelOperator.Equal, value: 'm' },
  ]);
  expect(toLoki(exported)).toEqual([
    { refId: 'A', expr: '1', queryType: 'range' },
    { refId: 'B', expr: '0', queryType: 'range' },
  ]);
});

it('hands over matchers where the server cannot compile, and never stops the change', async () => {
  const { datasource } = setUp();
  const exported = await datasource.exportToAbstractQueries([
    query({ filters: [{ label: 'model', op: '=', values: ['a"b'] }] }),
    query({ refId: 'B', queryType: 'inventory', signal: '' }),
  ]);
  expect(toPrometheus(exported)).toEqual([
    { refId: 'A', expr: '{model_name="a\\"b"}', range: true },
    { refId: 'B', expr: '', range: true },
  ]);
});

it('leaves an expression of Grafana what it is', async () => {
  const math = { refId: 'B', type: 'math', expression: '$A * 2', datasource: { type: '__expr__', uid: '__expr__' } };
  const { datasource } = setUp(['x']);
  const made = toPrometheus(await datasource.exportToAbstractQueries([query({}), math as never]));
  expect(made[1]).toBe(math);
});
