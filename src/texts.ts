import { inLanguage } from './texts/language';
import * as annotationEnglish from './texts/annotation';
import * as compiledEnglish from './texts/compiled';
import * as helpEnglish from './texts/help';
import * as queryEnglish from './texts/query';
import * as termsEnglish from './texts/terms';
import * as variableEnglish from './texts/variable';
import * as annotationChinese from './texts/zh/annotation';
import * as compiledChinese from './texts/zh/compiled';
import * as helpChinese from './texts/zh/help';
import * as queryChinese from './texts/zh/query';
import * as termsChinese from './texts/zh/terms';
import * as variableChinese from './texts/zh/variable';
import type { KVSource, RankStrategy } from './types';

/** Every text that a user reads, by part, in the language of Grafana. */

export * as found from './texts/found';
export * as served from './texts/served';
export * as sizes from './texts/sizes';

export const annotation = inLanguage(annotationEnglish, annotationChinese);
export const compiled = inLanguage(compiledEnglish, compiledChinese);
export const help = inLanguage(helpEnglish, helpChinese);
export const query = inLanguage(queryEnglish, queryChinese);
export const variable = inLanguage(variableEnglish, variableChinese);
export const { filterOps, formats, groups, kinds, levels, rateModes, roles, stats, systems, units } = inLanguage(
  termsEnglish,
  termsChinese
);

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
