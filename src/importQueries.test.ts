import { AbstractLabelOperator, type AbstractQuery, type DataSourceApi } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';

import { DataSource } from './datasource';
import { migrateQuery } from './migrate';
import type { PromQuery } from './promQuery';
import { fakeTemplateSrv, instanceSettings } from './testing/fixtures';

const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
const bring = (queries: Array<DataQuery & Partial<PromQuery>>, type: string, abstract?: AbstractQuery[]) =>
  datasource.importQueries(queries, {
    type,
    ...(abstract ? { exportToAbstractQueries: async () => abstract } : {}),
  } as unknown as DataSourceApi);

it('is not asked for label matchers alone, which is what Grafana would prefer', () => {
  expect('importFromAbstractQueries' in datasource).toBe(false);
});

it('takes the queries of Prometheus as they were written', async () => {
  const imported = await bring(
    [
      { refId: 'A', expr: 'sum by (pod) (rate(x[$__rate_interval]))', legendFormat: '{{pod}} tx', range: true },
      { refId: 'C', expr: 'up', legendFormat: '__auto', hide: true, format: 'table', instant: true },
    ],
    'prometheus',
    [{ refId: 'A', labelMatchers: [] }]
  );
  expect(imported).toEqual([
    expect.objectContaining({
      refId: 'A',
      queryType: 'promql',
      signal: '',
      expr: 'sum by (pod) (rate(x[$__rate_interval]))',
      legend: '{{pod}} tx',
      format: 'time_series',
    }),
    expect.objectContaining({ refId: 'C', expr: 'up', legend: '', hide: true, format: 'table' }),
  ]);
  expect(imported.flatMap(Object.keys)).not.toEqual(expect.arrayContaining(['legendFormat']));
});

it('starts anew for a query of Prometheus that asks nothing', async () => {
  const [imported] = await bring([{ refId: 'A', expr: '' }], 'prometheus');
  expect(imported).toMatchObject({ refId: 'A', queryType: 'signal', signal: 'prefill_request_rate' });
});

it('keeps the matchers of another data source', async () => {
  const matchers: AbstractQuery = {
    refId: 'B',
    labelMatchers: [
      { name: '__name__', value: 'up', operator: AbstractLabelOperator.Equal },
      { name: 'model_name', value: 'a/b', operator: AbstractLabelOperator.Equal },
      { name: 'pod', value: 'p.*', operator: AbstractLabelOperator.NotEqualRegEx },
    ],
  };
  const [imported] = await bring([{ refId: 'B', expr: '{pod!~"p.*"}' }], 'loki', [matchers]);
  expect(imported).toMatchObject({
    refId: 'B',
    queryType: 'signal',
    signal: 'prefill_request_rate',
    expr: '',
    filters: [
      { label: 'model', op: '=', values: ['a/b'] },
      { label: 'pod', op: '!~', values: ['p.*'] },
    ],
  });
  expect(await bring([{ refId: 'A' }], 'grafana-testdata-datasource')).toEqual([]);
});

it('goes by the data source of each query of a mixed panel, and leaves expressions to Grafana', async () => {
  const own = migrateQuery({ refId: 'A', signal: 'ttft', datasource: { type: datasource.type, uid: 'pd' } });
  const prom = { refId: 'B', expr: 'up', datasource: { type: 'prometheus', uid: 'p' } };
  const math = { refId: 'C', type: 'math', expression: '$A / $B', datasource: { type: '__expr__', uid: '__expr__' } };
  const imported = await bring([own, prom, math, { refId: 'D' }], 'mixed');
  expect(imported).toHaveLength(3);
  expect(imported[0]).toEqual(own);
  expect(imported[1]).toMatchObject({ refId: 'B', queryType: 'promql', expr: 'up' });
  expect(imported[2]).toBe(math);
});

it('reads a query of Prometheus that Grafana put over the default, as in one row of a mixed panel', () => {
  const saved = {
    ...datasource.getDefaultQuery('panel-editor' as never),
    refId: 'A',
    expr: 'up{a="b"}',
    legendFormat: '{{a}}',
    editorMode: 'code',
    range: true,
  };
  const query = migrateQuery(saved as never);
  expect(query).toMatchObject({ queryType: 'promql', signal: '', expr: 'up{a="b"}', legend: '{{a}}' });
  expect(migrateQuery(query)).toEqual(query);
});
