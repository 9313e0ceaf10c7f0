import type { DataSourceJsonData } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';

/**
 * The wire types. They mirror the Go side (`pkg/query`, `pkg/settings` and the resource handlers), which is the
 * authority: alerts and shared dashboards never pass through this front end.
 */

export const SCHEMA_VERSION = 1;

export type QueryType = 'signal' | 'promql' | 'inventory';
export type Stat = '' | 'quantile' | 'mean' | 'rate' | 'under' | 'heatmap' | 'skew';
export type RateMode = 'auto' | 'adjacent' | 'window';
export type Format = 'time_series' | 'table';
export type FilterOp = '=' | '!=' | '=~' | '!~';

/** One matcher. `=` with several values means "one of", `!=` "none of"; values of `=~` and `!~` are patterns. */
export interface LabelFilter {
  label: string;
  op: FilterOp;
  values: string[];
}

export interface PDQuery extends DataQuery {
  schemaVersion: number;
  queryType: QueryType;
  signal: string;
  stat: Stat;
  quantile: number;
  /** Of the statistic `under`, in the signal's unit. */
  limit: number;
  groupBy: string[];
  filters: LabelFilter[];
  system: string;
  /** Empty (the role that means the signal), `prefill`, `decode`, `unified`, or a dashboard variable. */
  role: string;
  rateMode: RateMode;
  window: string;
  /** 0: as configured. A text is a dashboard variable. */
  bytesPerRequest: number | string;
  legend: string;
  format: Format;
  /** PromQL, read when `queryType` is `promql`. */
  expr: string;
  /** What a query of type `inventory` lists: `signals` or `systems`. */
  inventory: string;
  /** The editor made `expr` of the signal and nobody has changed it since. The back end does not read this. */
  exprMade?: boolean;
}

/** What a query variable asks for: the values of one logical label, optionally of one signal, role or system. */
export interface PDVariableQuery extends DataQuery {
  label: string;
  signal: string;
  /** Empty (the role that means the signal), `prefill`, `decode`, `unified`, or a dashboard variable. */
  role: string;
  system: string;
  filters: LabelFilter[];
}

export type SignalKind = 'rate' | 'total' | 'gauge' | 'distribution' | 'ratio' | 'restart';

export interface Signal {
  id: string;
  title: string;
  titleZh?: string;
  /** How to judge the number, in Chinese; the tooltip shows it to who reads Chinese. */
  noteZh?: string;
  meaning: string;
  group: string;
  level?: string;
  unit: string;
  kind: SignalKind;
  stats: Stat[];
  roles: string[];
  labels: string[];
  systems: string[];
  /** Divides by the KV bytes of one request, which a query may set. */
  perRequestSize?: boolean;
  caution?: string;
  /** null: not known, for example because the server could not be asked. */
  available: boolean | null;
  /** Why it is not available, or which flag enables it. */
  reason?: string;
}

/** How one system exports one signal. */
export interface Binding {
  signal: string;
  system: string;
  /** Full names under the usual prefix, a histogram's without its ending. */
  metrics: string[];
  /** The only role that means the signal, empty or `all` where each has its own. */
  role: string;
}

export interface Catalog {
  signals: Signal[];
  systems: string[];
  bindings: Binding[];
  /** Why the server could not be looked at, empty where it could. */
  unseen: string;
}

export type Severity = 'info' | 'warning' | 'error';

export interface Notice {
  severity: Severity;
  text: string;
}

/** The details of the health check. */
export interface HealthDetails {
  /** The first line, and those below it; none where the server is not well. */
  message?: string;
  verboseMessage?: string;
  severity: Severity;
}

export interface Compiled {
  promql: string[];
  legend: string;
  unit: string;
  window: string;
  explanation: string[];
  notices: Notice[];
}

export interface CompileRequest {
  query: PDQuery;
  intervalMs: number;
  maxDataPoints: number;
  from: number;
  to: number;
}

export type RankStrategy = 'auto' | 'collapse' | 'rank0' | 'sum';
export type KVSource = 'auto' | 'flagcx' | 'nixl' | 'sglang' | 'mooncake';

/** The part of `kvcache.Deployment` that is a number, and more numbers of a size. */
export type CountField =
  | 'bytesPerRequest'
  | 'layers'
  | 'kvHeads'
  | 'headDim'
  | 'inputTokens'
  | 'prefixHitTokens'
  | 'blockSize'
  | 'attentionBlockSize'
  | 'tp'
  | 'prefillTP'
  | 'decodeTP'
  | 'prefillDP'
  | 'decodeDP'
  | 'pp'
  | 'copies';
export type ChoiceField = 'kvDtype' | 'engine' | 'connector' | 'stateDtype' | 'indexDtype';
export type SwitchField = 'allTokens' | 'draft';
export type ServingField = CountField | ChoiceField | SwitchField;

/**
 * KV bytes per request of one model, in one of four ways: a known number; the geometry of plain grouped-query
 * attention; or `config` (the model's config.json) or `preset` (a model whose config is known), with how it is served.
 */
export interface RequestSize extends Partial<
  Record<CountField, number> & Record<ChoiceField, string> & Record<SwitchField, boolean>
> {
  model: string;
  /** Text that is no JSON object yet is kept as it is: the server then says so, and nothing typed is lost. */
  config?: Record<string, unknown> | string;
  preset?: string;
}

/** Layers of one shape and what they add to a request's bytes. */
export interface KVGroup {
  kind: 'full' | 'sliding' | 'chunked' | 'mla' | 'indexer' | 'linear' | 'none';
  layers: number;
  kvHeads?: number;
  keyDim?: number;
  valueDim?: number;
  window?: number;
  draft?: boolean;
  /** Of one layer and one copy. */
  bytesPerToken: number;
  /** Of one linear layer. */
  stateBytes?: number;
  tokens: number;
  copies: number;
  bytes: number;
  derivation: string;
}

/** The answer of `POST kv-bytes`. */
export interface KVBytes {
  bytesPerRequest: number;
  bytesPerToken: number;
  stateBytes: number;
  copies: number;
  tokens: number;
  groups: KVGroup[];
  notices: Notice[];
}

/** A model whose config is known to the server. */
export interface Preset {
  name: string;
  model: string;
  source: string;
  /** The month in which the source was read, such as 2026-08. */
  date: string;
}

/** What was moved for one request, over a window that ended when it was asked for. */
export interface MeasuredSize {
  system: string;
  bytesPerRequest: number;
  requests: number;
  window: string;
}

/** A model that the server's engines serve, with its size as it was last saved and as it was measured. */
export interface ServedModel {
  model: string;
  /** 0: there is no size. */
  configuredBytes: number;
  derivation: string;
  /** The known model that the name suggests, empty without any. */
  preset: string;
  measured: MeasuredSize | null;
  /** Measured, 0: not known. */
  inputTokens: number;
  /** Measured ÷ configured, 0: not known. */
  ratio: number;
  /** What such a ratio is likely to mean. */
  meaning: string;
  severity: Severity;
}

/** The answer of `GET request-sizes`. */
export interface ServedModels {
  models: ServedModel[];
  notices: Notice[];
}

/** The engines of one role of a system. */
export interface DiscoveredRole {
  /** Empty for engines that do not tell theirs although others do. */
  role: string;
  count: number;
  /** The first of their names. */
  instances: string[];
}

export interface DiscoveredSystem {
  name: string;
  title: string;
  prefixes: string[];
  /** What tells its roles: its own label, the matchers of the settings, or nothing. */
  roleBy: 'label' | 'matchers' | 'nothing';
  roles: DiscoveredRole[];
  models: string[];
  /** Different ranks that were seen, 0 for none. */
  dpRanks: number;
  tpRanks: number;
  scrapeInterval: string;
}

/** The engines that the matchers of a role fit. */
export interface MatchedEngines {
  matchers: string;
  count: number;
  instances: string[];
  error: string;
}

/** The answer of `GET discovery`. */
export interface Discovery {
  server: string;
  scrapeInterval: string;
  systems: DiscoveredSystem[];
  engines: number;
  matchers: Record<string, MatchedEngines>;
}

export interface PDOptions extends DataSourceJsonData {
  scrapeInterval?: string;
  rankStrategy?: RankStrategy;
  prefixes?: Record<string, string[]>;
  roles?: { prefill?: string; decode?: string };
  labels?: Record<string, string[]>;
  requestSizes?: RequestSize[];
  kvSource?: KVSource;
  customQueryParameters?: string;
  httpMethod?: 'POST' | 'GET';
  /** Seconds. */
  timeout?: number;
  seriesLimit?: number;
}

export type PDSecureOptions = Record<string, string>;
