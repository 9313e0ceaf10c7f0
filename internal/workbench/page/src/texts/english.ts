export const app = {
  title: 'PD Monitor',
  workbench: 'workbench',
  tabs: { dashboards: 'Dashboards', query: 'Query', settings: 'Settings' },
  toLight: 'Light theme',
  toDark: 'Dark theme',
  /** By its own name. */
  otherLanguage: '中文',
  startFailed: 'The workbench could not start',
  crashed: 'This part of the page failed',
  loading: 'Loading…',
  lost: 'There is nothing at this address.',
  toOverview: 'Go to the dashboards',
  skip: 'Skip to content',
};

export const time = {
  refresh: 'Refresh',
  refreshEvery: 'Refresh now, or choose how often',
};

export const dashboard = {
  choose: 'Dashboard',
  all: 'All',
  loadFailed: 'The dashboard could not be loaded',
  variableFailed: (name: string) => `The values of ${name} could not be loaded`,
  none: 'No dashboard is part of this program.',
};

export const panel = {
  noData: 'No data',
  failed: 'The query failed',
  unsupported: (type: string) => `The workbench does not draw panels of type “${type}”. Grafana does.`,
  buckets: 'Observations by bucket',
};

export const query = {
  title: 'Query',
  run: 'Run query',
  add: 'Add query',
  remove: (refId: string) => `Remove query ${refId}`,
  duplicate: (refId: string) => `Duplicate query ${refId}`,
  hide: (refId: string) => `Hide the result of query ${refId}`,
  show: (refId: string) => `Show the result of query ${refId}`,
  row: (refId: string) => `Query ${refId}`,
  examples: 'Examples',
  result: 'Result',
  graph: 'Graph',
  table: 'Table',
  showAs: 'Show as',
  executed: 'Executed PromQL',
  notices: 'Notices',
  nothing: 'Choose a signal to see its graph.',
};

export const settings = {
  title: 'Settings',
  inMemory: 'Changes last until pdmonitor ends. Nothing is written to a file.',
  save: 'Save & test',
  saving: 'Testing…',
  loadFailed: 'The settings could not be loaded',
  saveFailed: 'The settings could not be saved',
  next: 'Next: ',
  nextDashboards: 'look at the dashboards',
  nextOr: ' or ',
  nextQuery: 'ask a question',
};

export const severities = { info: 'Note', warning: 'Warning', error: 'Error' };
