import { fromPromQuery, isPromQuery } from './promQuery';
import type { LabelFilter, PDQuery, PDVariableQuery, SignalId } from './types';
import {
  DEFAULT_QUANTILE,
  FILTER_OPS,
  FORMATS,
  QUERY_TYPES,
  RATE_MODES,
  ROLES,
  SCHEMA_VERSION,
  STATS,
  SYSTEM_AUTO,
} from './wire.gen';

/** Every field but those of Grafana, so that saved queries are complete and stable. */
export const DEFAULT_QUERY: Omit<PDQuery, 'refId'> = {
  schemaVersion: SCHEMA_VERSION,
  queryType: 'signal',
  signal: 'prefill_request_rate' satisfies SignalId,
  stat: '',
  quantile: DEFAULT_QUANTILE,
  limit: 0,
  groupBy: ['model'],
  filters: [],
  system: SYSTEM_AUTO,
  role: '',
  rateMode: 'auto',
  window: '',
  bytesPerRequest: 0,
  legend: '',
  format: 'time_series',
  expr: '',
  inventory: '',
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === value) ?? fallback;
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') {
    return value === '' ? [] : [value];
  }
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function role(value: unknown): string {
  const asked = text(value);
  // A dashboard variable is decided later.
  return ROLES.some((known) => known === asked) || asked.includes('$') ? asked : '';
}

function migrateFilter(value: unknown): LabelFilter[] {
  if (!isRecord(value)) {
    return [];
  }
  // The shape of Grafana's ad hoc filters (`key`, `operator`, `value`) is what people write by hand from memory.
  const label = text(value.label) || text(value.key);
  if (label === '') {
    return [];
  }
  const values = texts(value.values);
  return [
    {
      label,
      op: oneOf(value.op ?? value.operator, FILTER_OPS, '='),
      values: values.length > 0 ? values : texts(value.value),
    },
  ];
}

/** Whether a query has none of our fields yet, so that it asks for nothing. */
export function isNewQuery({ signal, expr, inventory }: Partial<PDQuery>): boolean {
  return signal === undefined && expr === undefined && inventory === undefined;
}

/**
 * Completes a query of any age. Unknown fields are kept, since a newer Grafana or plugin may have put them there;
 * known fields of a wrong type get their default.
 */
export function migrateQuery(stored: Partial<PDQuery> & { refId: string }): PDQuery {
  const saved = isPromQuery(stored) ? fromPromQuery(stored) : stored;
  const raw: Record<string, unknown> = { ...saved };
  // A new query gets the default grouping; one with a signal asked for none.
  const isNew = isNewQuery(saved);
  const quantile = raw.quantile;
  const bytes = raw.bytesPerRequest;
  const { exprMade, ...kept }: Partial<PDQuery> = saved;
  return {
    ...kept,
    refId: saved.refId,
    // A newer query is left as it is, so that the server can say that the plugin is too old for it.
    schemaVersion: Math.max(SCHEMA_VERSION, typeof raw.schemaVersion === 'number' ? raw.schemaVersion : 0),
    queryType: oneOf(
      raw.queryType,
      QUERY_TYPES,
      raw.signal === undefined && text(raw.expr) !== '' ? 'promql' : 'signal'
    ),
    signal: isNew ? DEFAULT_QUERY.signal : text(raw.signal),
    stat: oneOf(raw.stat, STATS, DEFAULT_QUERY.stat),
    limit: typeof raw.limit === 'number' ? raw.limit : 0,
    quantile: typeof quantile === 'number' && quantile !== 0 ? quantile : DEFAULT_QUANTILE,
    groupBy: isNew && raw.groupBy === undefined ? [...DEFAULT_QUERY.groupBy] : texts(raw.groupBy),
    filters: Array.isArray(raw.filters) ? raw.filters.flatMap(migrateFilter) : [],
    system: text(raw.system) || DEFAULT_QUERY.system,
    role: role(raw.role),
    rateMode: oneOf(raw.rateMode, RATE_MODES, DEFAULT_QUERY.rateMode),
    window: text(raw.window),
    bytesPerRequest: typeof bytes === 'number' || typeof bytes === 'string' ? bytes || 0 : 0,
    legend: text(raw.legend),
    format: oneOf(raw.format, FORMATS, DEFAULT_QUERY.format),
    expr: text(raw.expr),
    inventory: text(raw.inventory),
    ...(exprMade === true ? { exprMade } : {}),
  };
}

export const DEFAULT_VARIABLE_QUERY: Omit<PDVariableQuery, 'refId'> = {
  label: 'model',
  signal: '',
  role: '',
  system: SYSTEM_AUTO,
  filters: [],
};

/** `label_values(up, model)`, `label_values(model)`: the spelling people bring along from Prometheus. */
const LABEL_VALUES = /^label_values\(\s*(?:[^,()]+,\s*)?([A-Za-z_][A-Za-z0-9_]*)\s*\)$/;

/** Whether nobody has said yet of what a variable has the values. */
export function isNewVariableQuery(saved: unknown): boolean {
  return typeof saved === 'string' ? saved.trim() === '' : !isRecord(saved) || text(saved.label) === '';
}

/** Plurals that name a label in plain words. */
const PLURALS: Record<string, string> = {
  models: 'model',
  instances: 'instance',
  engines: 'engine',
  roles: 'role',
  systems: 'system',
  devices: 'device',
};

export function migrateVariableQuery(saved: unknown): PDVariableQuery {
  const base = { ...DEFAULT_VARIABLE_QUERY, refId: 'PDVariableQuery' };
  if (typeof saved === 'string') {
    const word = saved.trim();
    const label = LABEL_VALUES.exec(word)?.[1] ?? word;
    return { ...base, label: PLURALS[label] ?? (label || base.label) };
  }
  if (!isRecord(saved)) {
    return base;
  }
  return {
    refId: text(saved.refId) || base.refId,
    label: text(saved.label) || base.label,
    signal: text(saved.signal),
    role: role(saved.role),
    system: text(saved.system) || base.system,
    filters: Array.isArray(saved.filters) ? saved.filters.flatMap(migrateFilter) : [],
  };
}
