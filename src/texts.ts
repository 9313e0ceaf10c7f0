import type { Format, KVSource, PDQuery, RankStrategy, RateMode, SignalKind, Stat } from './types';

/** Every text that a user reads, in one place. */

export * as found from './texts/found';
export * as served from './texts/served';
export * as sizes from './texts/sizes';

export const units: Record<string, string> = {
  s: 'seconds',
  reqps: 'requests/s',
  Bps: 'bytes/s',
  bytes: 'bytes',
  percentunit: 'ratio',
  short: 'count',
  none: 'count',
};

export const stats: Record<Stat, { label: string; description: string }> = {
  '': { label: 'Value', description: 'The signal itself' },
  quantile: { label: 'Quantile', description: 'From the merged buckets of all instances' },
  mean: { label: 'Mean', description: 'Sum over count in the window' },
  rate: { label: 'Rate', description: 'Observations per second' },
  under: { label: 'Under', description: 'Share of observations up to a limit, at which a bucket ends' },
  skew: { label: 'Skew', description: 'Largest over mean of engines and data-parallel ranks: 1 is even load' },
};

export const kinds: Record<SignalKind, string> = {
  rate: 'Rate of a counter',
  total: 'Cumulative counter',
  gauge: 'Gauge, shown as it is',
  distribution: 'Histogram',
  ratio: 'Ratio of two rates',
};

export const roles: Record<string, { label: string; description: string }> = {
  '': { label: 'Auto', description: 'The role that means this signal' },
  prefill: { label: 'Prefill', description: 'Prefill instances only' },
  decode: { label: 'Decode', description: 'Decode instances only' },
  unified: { label: 'Unified', description: 'Instances that do both' },
};

export const systems: Record<string, string> = {
  auto: 'Auto',
  vllm: 'vLLM',
  sglang: 'SGLang',
  flagcx: 'FlagCX',
  nixl: 'NIXL',
  mooncake: 'Mooncake',
  lmcache: 'LMCache',
  lmcache_mp: 'LMCache MP',
  dynamo: 'Dynamo',
  dcgm: 'DCGM',
  rdma: 'RDMA',
};

export const rateModes: Record<RateMode, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'Adjacent samples when zoomed in, a window when zoomed out' },
  adjacent: { label: 'Adjacent', description: 'Between neighbouring samples: every scrape is drawn' },
  window: { label: 'Window', description: 'Averaged over the window: nothing between points is lost' },
};

export const formats: Record<Format, string> = { time_series: 'Time series', table: 'Table' };

export const filterOps = {
  '=': 'is',
  '!=': 'is not',
  '=~': 'matches the pattern',
  '!~': 'does not match the pattern',
} as const;

export const rankStrategies: Record<RankStrategy, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'Per metric, as the engine is known to repeat or to split it' },
  collapse: { label: 'Collapse', description: 'Keep one copy of what tensor-parallel ranks repeat' },
  rank0: { label: 'Rank 0', description: 'Read tensor-parallel rank 0 only; wrong with data-parallel attention' },
  sum: { label: 'Sum', description: 'Add all ranks: only where each rank reports its own part' },
};

export const kvSources: Record<KVSource, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'The first that is exported; it is named in the notices' },
  flagcx: { label: 'FlagCX', description: 'Bytes counted by the FlagCX connector' },
  nixl: { label: 'NIXL', description: 'Bytes counted by the NIXL connector of vLLM' },
  sglang: { label: 'SGLang', description: 'Megabytes counted by SGLang itself' },
  mooncake: { label: 'Mooncake', description: 'Bytes counted by the Mooncake transfer engine' },
};

export const query = {
  mode: 'Query mode',
  modes: { signal: 'Signal', promql: 'PromQL' },
  inventory: (of: string) =>
    of === 'systems'
      ? 'Lists the systems that the server holds, with their engines.'
      : 'Lists the signals of each system that the server holds, and why others are missing.',
  signal: 'Signal',
  signalPlaceholder: 'Search: ttft, queue, KV…',
  signalNone: 'No signal matches.',
  unavailable: (reason?: string) => (reason ? `Not exported here: ${reason}` : 'Not exported here'),
  notInCatalog: (id: string) => `This data source does not know the signal “${id}”. Choose another one.`,
  catalogFailed: 'The list of signals could not be loaded',
  catalogFailedHelp: 'Check the connection on the settings page of this data source.',
  retry: 'Try again',
  caution: 'Mind',
  stat: 'Statistic',
  quantile: 'Quantile',
  quantilePlaceholder: '0.99 or 99',
  quantileInvalid: 'Use a number between 0 and 1, such as 0.995, or a percentage such as P99.5.',
  role: 'Role',
  system: 'System',
  systemHelp: 'Who exports the metric. Auto finds it, newest metric name first.',
  groupBy: 'Group by',
  groupByHelp: 'One series for each combination. Without any: one total.',
  groupByPlaceholder: 'Total only',
  filters: 'Filters',
  filterAdd: 'Add filter',
  filterRemove: (position: number) => `Remove filter ${position}`,
  filterLabel: (position: number) => `Filter ${position} label`,
  filterOp: (position: number) => `Filter ${position} operator`,
  filterValues: (position: number) => `Filter ${position} values`,
  filterLabelPlaceholder: 'Label',
  filterValuesPlaceholder: 'Values',
  filterIncomplete: 'Takes effect once it has a label and a value.',
  legend: 'Legend',
  legendHelp: 'Labels in double braces, such as {{model}}. Empty: made from the grouping.',
  legendPlaceholder: '{{model}}',
  format: 'Format',
  options: 'Rate and window',
  optionsWithBytes: 'Rate, window and KV bytes',
  rateMode: 'Rate',
  window: 'Window',
  windowHelp: 'The range of the rate, such as 30s or 1m. Empty: from the step and the scrape interval.',
  windowPlaceholder: 'Auto',
  windowInvalid: 'Use a duration such as 30s or 1m30s.',
  limit: 'Up to',
  limitHelp: 'A bucket of the histogram has to end exactly here, for example 0.5.',
  limitInvalid: 'Take a number above 0',
  bytesPerRequest: 'KV bytes per request',
  bytesPerRequestHelp:
    'For this query only, in place of the sizes in the settings; a dashboard variable makes it a what-if. Empty: as configured for each model.',
  bytesPerRequestPlaceholder: 'As configured',
  promql: 'PromQL',
  promqlHelp: 'Runs when you leave the field or press Ctrl+Enter (⌘+Enter).',
  promqlPlaceholder: 'sum by (model_name) (rate(vllm:request_success_total[$__rate_interval]))',
};

export const compiled = {
  title: 'Compiled PromQL',
  copy: 'Copy',
  copied: 'Copied',
  copyLabel: (position: number, count: number) => (count > 1 ? `Copy PromQL ${position}` : 'Copy PromQL'),
  loading: 'Compiling…',
  empty: {
    signal: 'Choose a signal to see its PromQL.',
    promql: 'Write PromQL to see what is sent.',
    inventory: 'An inventory has no PromQL.',
  },
  explore: 'Open in Explore',
  failed: 'This query cannot be compiled',
  explanation: 'How this is computed',
  window: (window: string) => `window ${window}`,
  unit: (unit: string) => `unit: ${unitName(unit)}`,
  severity: { info: 'Note', warning: 'Warning', error: 'Error' },
};

export const variable = {
  label: 'Label',
  labelHelp: 'The variable lists the values of this label: model, instance, engine or any other.',
  signal: 'Signal',
  signalHelp: 'Only values that this signal has. Empty: any.',
  role: 'Role',
  system: 'System',
  any: 'Any',
};

export const config = {
  name: 'PD Monitor',
  urlLabel: 'Prometheus server URL',
  urlPlaceholder: 'http://localhost:9090',
  urlHelp: 'Any server with the Prometheus HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.',

  advanced: 'Additional settings',
  advancedHelp: 'All of these have working defaults.',

  queries: 'Queries',
  scrapeInterval: 'Scrape interval',
  scrapeIntervalHelp:
    'How often the engines are scraped. Rates need it: a window holds at least two samples. Empty: detected.',
  scrapeIntervalPlaceholder: 'detected',
  durationInvalid: 'Use a duration such as 1s, 500ms or 1m30s.',
  httpMethod: 'HTTP method',
  httpMethodHelp: 'POST allows long queries. Choose GET only where a proxy refuses POST.',
  seriesLimit: 'Series limit',
  seriesLimitHelp: 'The most series that one query may return. 0: no limit.',
  seriesLimitPlaceholder: '1000',
  seriesLimitInvalid: 'Use a whole number, 0 or more.',
  customQueryParameters: 'Custom query parameters',
  customQueryParametersHelp: 'Added to every request, as in a URL: max_source_resolution=5m&timeout=10s',
  customQueryParametersPlaceholder: 'max_source_resolution=5m',
  customQueryParametersInvalid: 'Use name=value pairs joined by &, without ? in front.',

  roles: 'Roles',
  rolesHelp:
    'Matchers that tell prefill from decode instances where the engine does not say so itself. Any label will do: instance, pod, job.',
  prefill: 'Prefill matcher',
  decode: 'Decode matcher',
  matcherInvalid: 'Use label matchers such as job="prefill" or pod=~"prefill-.*", joined by commas.',

  engines: 'Engines',
  rankStrategy: 'Rank strategy',
  rankStrategyHelp: 'How series of the ranks of one engine become one.',
  kvSource: 'KV byte source',
  kvSourceHelp: 'Which counter of transferred bytes is read. Sources are never added to each other.',

  prefixes: 'Metric prefixes',
  prefixesHelp:
    'Only for metrics that were renamed on the way. Several prefixes: in order of preference, joined by commas. Write none for names without a prefix.',
  prefixesLabel: (system: string) => `Prefixes of ${system}`,
  prefixesPlaceholder: 'detected',
  prefixesInvalid: 'Use metric name prefixes such as vllm: or ray_vllm_, joined by commas, or none.',

  numberMissing: 'Enter a whole number of 1 or more.',
  numberNotANumber: 'This is not a number. Enter digits only, for example 8192.',
  numberNotPositive: 'This must be 1 or more. Enter a positive whole number.',
  numberNotWhole: 'This must be a whole number. Remove the fraction.',
  numberTooLarge: 'This is above 2^53 (9007199254740992) and would lose digits. Enter a smaller number.',
};

export const help = {
  title: 'What PD Monitor answers',
  intro:
    'Choose what you want to know; PD Monitor finds the metric, its name on your engine, the role that exports it, the ranks that repeat it, and the unit. Click an example to use it.',
  examples: [
    {
      title: 'Prefill requests per second, by model',
      text: 'The first of the three comparable curves. Its neighbours are KV transfer and decode.',
      query: { signal: 'prefill_request_rate', groupBy: ['model'] },
    },
    {
      title: 'KV transfer requests per second, by model',
      text: 'Bytes moved, divided by the KV bytes of one request. Set the bytes in the settings of the data source.',
      query: { signal: 'kv_transfer_request_rate', groupBy: ['model'] },
    },
    {
      title: 'Decode requests per second, by model',
      text: 'The third curve: same window, same counters, same axis.',
      query: { signal: 'decode_request_rate', groupBy: ['model'] },
    },
    {
      title: 'Time to first token, P99 by model',
      text: 'Buckets are merged before the quantile. Where both roles report it, each is its own series.',
      query: { signal: 'ttft', stat: 'quantile', quantile: 0.99, groupBy: ['model'] },
    },
    {
      title: 'KV cache usage of decode instances',
      text: 'A gauge, shown as it is and never differentiated.',
      query: { signal: 'kv_cache_usage', role: 'decode', groupBy: ['instance'] },
    },
    {
      title: 'Requests that wait for prefill',
      text: 'Queue in front of prefill, by instance.',
      query: { signal: 'requests_waiting', role: 'prefill', groupBy: ['instance'] },
    },
  ] satisfies Array<{ title: string; text: string; query: Partial<PDQuery> }>,
};

/** Grafana's unit ids in words. "suffix:tok/s" is Grafana's way to name a unit of one's own. */
export function unitName(unit: string): string {
  return units[unit] ?? unit.replace(/^suffix:\s*/, '');
}

/** 0.99 → "P99", 0.999 → "P99.9". */
export function quantileName(quantile: number): string {
  return `P${Number((quantile * 100).toFixed(6))}`;
}

/** "ttft" → "TTFT", "prefill_request_rate" → "Prefill request rate": good enough before the catalog has arrived. */
export function signalName(id: string): string {
  if (['ttft', 'itl', 'tpot'].includes(id)) {
    return id.toUpperCase();
  }
  const words = id.replaceAll('_', ' ').replace(/\bkv\b/g, 'KV');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One line for a collapsed query row. */
export function describeQuery(saved: PDQuery): string {
  if (saved.queryType === 'promql') {
    return saved.expr;
  }
  if (saved.queryType === 'inventory') {
    return query.inventory(saved.inventory);
  }
  const stat = saved.stat === 'quantile' ? quantileName(saved.quantile) : saved.stat;
  const parts = [
    [signalName(saved.signal), stat].filter(Boolean).join(' '),
    saved.role && `on ${saved.role}`,
    saved.groupBy.length > 0 && `by ${saved.groupBy.join(', ')}`,
    saved.filters.length > 0 &&
      `where ${saved.filters.map(({ label, op, values }) => `${label} ${op} ${values.join(' | ')}`).join(', ')}`,
  ];
  return parts.filter(Boolean).join(' ');
}
