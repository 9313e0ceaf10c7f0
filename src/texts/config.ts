/** Texts of the settings page but for its larger parts. */

export const name = 'PD Monitor';
export const urlLabel = 'Prometheus server URL';
export const urlPlaceholder = 'http://localhost:9090';
export const urlHelp = 'Any server with the Prometheus HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.';
export const advanced = 'Additional settings';
export const advancedHelp = 'All of these have working defaults.';
export const queries = 'Queries';
export const scrapeInterval = 'Scrape interval';
export const scrapeIntervalHelp =
  'How often the engines are scraped. Rates need it: a window holds at least two samples. Empty: detected.';
export const scrapeIntervalPlaceholder = 'detected';
export const durationInvalid = 'Use a duration such as 1s, 500ms or 1m30s.';
export const httpMethod = 'HTTP method';
export const httpMethodHelp = 'POST allows long queries. Choose GET only where a proxy refuses POST.';
export const seriesLimit = 'Series limit';
export const seriesLimitHelp = 'The most series that one query may return. 0: no limit.';
export const seriesLimitPlaceholder = '1000';
export const seriesLimitInvalid = 'Use a whole number, 0 or more.';
export const customQueryParameters = 'Custom query parameters';
export const customQueryParametersHelp = 'Added to every request, as in a URL: max_source_resolution=5m&timeout=10s';
export const customQueryParametersPlaceholder = 'max_source_resolution=5m';
export const customQueryParametersInvalid = 'Use name=value pairs joined by &, without ? in front.';
export const roles = 'Roles';
export const rolesHelp =
  'Matchers that tell prefill from decode instances where the engine does not say so itself. Any label will do: instance, pod, job.';
export const prefill = 'Prefill matcher';
export const decode = 'Decode matcher';
export const matcherInvalid = 'Use label matchers such as job="prefill" or pod=~"prefill-.*", joined by commas.';
export const engines = 'Engines';
export const rankStrategy = 'Rank strategy';
export const rankStrategyHelp = 'How series of the ranks of one engine become one.';
export const kvSource = 'KV byte source';
export const kvSourceHelp = 'Which counter of transferred bytes is read. Sources are never added to each other.';
export const prefixes = 'Metric prefixes';
export const prefixesHelp =
  'Only for metrics that were renamed on the way. Several prefixes: in order of preference, joined by commas. Write none for names without a prefix.';
export const prefixesLabel = (system: string) => `Prefixes of ${system}`;
export const prefixesPlaceholder = 'detected';
export const prefixesInvalid = 'Use metric name prefixes such as vllm: or ray_vllm_, joined by commas, or none.';
export const numberMissing = 'Enter a whole number of 1 or more.';
export const numberNotANumber = 'This is not a number. Enter digits only, for example 8192.';
export const numberNotPositive = 'This must be 1 or more. Enter a positive whole number.';
export const numberNotWhole = 'This must be a whole number. Remove the fraction.';
export const numberTooLarge = 'This is above 2^53 (9007199254740992) and would lose digits. Enter a smaller number.';
