/** Texts of the query editor. */

export const mode = 'Query mode';
export const modes = { signal: 'Signal', promql: 'PromQL' };

export const inventory = (of: string) =>
  of === 'systems'
    ? 'Lists the systems that the server holds, with their engines.'
    : 'Lists the signals of each system that the server holds, and why others are missing.';

export const signal = 'Signal';
export const signalPlaceholder = 'Search: ttft, queue, KV…';
export const signalNone = 'No signal matches. Try another word, such as queue, TTFT or cache.';
export const signalCount = (count: number) => (count === 1 ? '1 signal' : `${count} signals`);
export const signalLoading = 'Loading the signals…';
export const signalClear = 'Any signal';
export const unavailable = (reason?: string) => (reason ? `Not exported here: ${reason}` : 'Not exported here');
export const perLevel = (level: string) => `per ${level}`;
export const notInCatalog = (id: string) => `This data source does not know the signal “${id}”. Choose another one.`;
export const catalogFailed = 'The list of signals could not be loaded';
export const catalogFailedHelp = 'Check the connection on the settings page of this data source.';
export const retry = 'Try again';
export const caution = 'Mind';

export const nothingKnown = 'The server could not be looked at, so nobody knows which signals it holds';
export const nothingFound = 'No engine was found on this server';
export const nothingFoundHelp =
  'None of the signals is exported: the server does not scrape vLLM, SGLang or a connector, SGLang runs without --enable-metrics, or a proxy renames the metrics. “Save & test” on the settings page says what was looked for.';
export const openSettings = 'Open the settings';

export const stat = 'Statistic';
export const statHelp = 'Type any quantile, such as 99.9, or choose from the list.';
export const statCustom = 'As a quantile';
export const quantileInvalid = 'Use a number between 0 and 1, such as 0.995, or a percentage such as P99.5.';
export const limit = 'Up to';
export const limitHelp = 'A bucket of the histogram has to end exactly here, for example 0.5.';
export const limitInvalid = 'Take a number above 0';

export const role = 'Role';
export const system = 'System';
export const systemHelp = 'Who exports the metric. Auto finds it, newest metric name first.';
export const groupBy = 'Group by';
export const groupByHelp = 'One series for each combination. Without any: one total.';
export const groupByPlaceholder = 'Total only';

export const groupByNotApplied = (labels: string[]) =>
  `The dashboard groups by ${labels.join(', ')}, which does not reach this query: write it into the PromQL.`;

export const filters = 'Filters';
export const filterAdd = 'Add filter';
export const filterRemove = (position: number) => `Remove filter ${position}`;
export const filterLabel = (position: number) => `Filter ${position} label`;
export const filterOp = (position: number) => `Filter ${position} operator`;
export const filterValues = (position: number) => `Filter ${position} values`;
export const filterLabelPlaceholder = 'Label';
export const filterValuesPlaceholder = 'Values';
export const filterIncomplete = 'Takes effect once it has a label and a value.';
export const emptyValue = '(empty)';
export const variables = 'Variables';

export const legend = 'Legend';
export const legendHelp = 'Labels in double braces, such as {{model}}. Empty: made from the grouping.';
export const legendPlaceholder = '{{model}}';
export const legendLabels = 'Put a label into the legend';
export const format = 'Format';

export const options = 'Rate and window';
export const optionsWithBytes = 'Rate, window and KV bytes';
export const rateMode = 'Rate';
export const window = 'Window';
export const windowHelp = 'The range of the rate, such as 30s or 1m. Empty: from the step and the scrape interval.';
export const windowPlaceholder = 'Auto';
export const windowInvalid = 'Use a duration such as 30s or 1m30s.';
export const bytesPerRequest = 'KV bytes per request';
export const bytesPerRequestHelp =
  'For this query only, in place of the sizes in the settings; a dashboard variable makes it a what-if. Empty: as configured for each model.';
export const bytesPerRequestPlaceholder = 'As configured';

export const promql = 'PromQL';
export const promqlHelp = 'Runs when you leave the field or press Ctrl+Enter (⌘+Enter).';
export const promqlPlaceholder = 'sum by (model_name) (rate(vllm:request_success_total[$__rate_interval]))';
export const promqlFromSignal = (signal: string) =>
  `Made from “${signal}”, whose settings are kept: Signal leads back to them. Until you change the text here, it follows them.`;
export const promqlFirstOf = (count: number) =>
  `The signal takes ${count} expressions, of which a PromQL query runs one: the first was taken over. The others are listed in Signal mode.`;

export const translate = (count: number) =>
  count === 1 ? 'A signal reads what this reads:' : 'Signals that read what this reads:';
export const translateTo = (signal: string) => `Ask for ${signal}`;
export const translateHelp =
  'Takes over the grouping and the filters that the signal knows. It is computed its own way, so compare the numbers. PromQL leads back to this text.';

export const alertVariables =
  'This query uses dashboard variables, which an alert rule does not have. Write the values out.';
export const alertHeatmap =
  'A heatmap has no single number to alert on. Choose a quantile, the mean or a share under a limit.';
