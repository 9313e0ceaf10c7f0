import { migrateQuery } from './migrate';
import { catalog } from './testing/fixtures';
import { translationsOf } from './translate';

const offered = (expr: string) =>
  translationsOf(expr, catalog, migrateQuery({ refId: 'A', queryType: 'promql', expr }));
const ids = (expr: string) => offered(expr).map(({ signal }) => signal.id);

it.each([
  ['a rate that two signals read', 'sum by (model_name) (rate(vllm:request_success_total[$__rate_interval]))'],
  [
    'the grouping behind',
    'sum(irate(vllm:request_success_total{finished_reason!="abort"}[1m] offset 5m)) by (model_name)',
  ],
])('offers the signals of %s', (_, expr) => {
  expect(ids(expr)).toEqual(['prefill_request_rate', 'decode_request_rate']);
});

it('takes over quantile, grouping and the filters that the signal has', () => {
  const expr =
    'histogram_quantile(0.95, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket{model_name=~"a\\\\.b",job="x"}[5m])))';
  expect(offered(expr)).toMatchObject([
    {
      signal: { id: 'ttft' },
      query: {
        queryType: 'signal',
        signal: 'ttft',
        stat: 'quantile',
        quantile: 0.95,
        groupBy: ['model'],
        system: 'vllm',
        filters: [{ label: 'model', op: '=~', values: ['a\\.b'] }],
      },
    },
  ]);
});

it('reads the mean and the role', () => {
  const mean = (role: string) =>
    `rate(sglang:time_to_first_token_seconds_sum{engine_type="${role}"}[1m]) / rate(sglang:time_to_first_token_seconds_count{engine_type='${role}'}[1m])`;
  expect(offered(mean('decode'))).toMatchObject([{ query: { signal: 'ttft', stat: 'mean', role: 'decode' } }]);
  expect(ids(mean('prefill'))).toEqual([]);
});

it.each([
  ['nothing', ''],
  ['a metric that no signal has', 'rate(http_requests_total[1m])'],
  ['one that has and one that has not', 'vllm:num_requests_running / on (instance) up'],
  ['a gauge as a rate', 'rate(vllm:num_requests_running[1m])'],
  ['a name in a text or a comment', 'up{job="vllm:num_requests_running"} # vllm:num_requests_running'],
])('offers nothing for %s', (_, expr) => {
  expect(ids(expr)).toEqual([]);
});

it('offers a gauge as it is', () => {
  expect(ids('max(vllm:num_requests_running{instance=~"$i"})')).toEqual(['requests_running']);
});
