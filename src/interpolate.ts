import type { AdHocVariableFilter, ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';

import { DEFAULT_QUERY } from './migrate';
import type { FilterOp, LabelFilter, PDQuery } from './types';

/** What the template service passes to a formatter beside the value. */
interface FormattedVariable {
  multi?: boolean;
  includeAll?: boolean;
}

/** Grafana's usual custom "All" value. The formatter is not called for it: it arrives as text. */
const ALL_VALUES = new Set(['.*', '.+']);

/** The macros of intervals belong to the back end, which knows the step it really takes. */
const BACKEND_VARIABLES = ['__interval', '__interval_ms', '__rate_interval', '__rate_interval_ms'];

/** RE2 and JavaScript share these; the result stands for the text itself in a pattern. */
export function escapeRegex(value: string): string {
  return value.replace(/[\\^$*+?.()|[\]{}]/g, '\\$&');
}

function withoutBackendVariables(scopedVars: ScopedVars): ScopedVars {
  return Object.fromEntries(Object.entries(scopedVars).filter(([name]) => !BACKEND_VARIABLES.includes(name)));
}

interface Expanded {
  values: string[];
  /** Whether the text held a variable. */
  templated: boolean;
}

/**
 * Replaces the variables in a text and returns every combination of their values, so that a multi-value variable
 * becomes several values and never a joined string that something downstream would have to take apart again.
 */
export function expand(
  templateSrv: TemplateSrv,
  template: string,
  scopedVars: ScopedVars,
  escape?: (value: string) => string
): Expanded {
  const found: string[][] = [];
  const replaced = templateSrv.replace(
    template,
    withoutBackendVariables(scopedVars),
    (value: unknown, variable?: FormattedVariable) => {
      const values = (Array.isArray(value) ? value : [value]).map(String);
      const escaping = escape && (Array.isArray(value) || variable?.multi || variable?.includeAll);
      found.push(escaping ? values.map(escape) : values);
      // NUL occurs in no label value, so the place cannot be mistaken for text.
      return `\u0000${found.length - 1}\u0000`;
    }
  );
  const pieces = replaced.split('\u0000');
  const values = pieces.reduce<string[]>(
    (heads, piece, position) => {
      const tails = position % 2 === 1 ? found[Number(piece)] : [piece];
      return heads.flatMap((head) => tails.map((tail) => head + tail));
    },
    ['']
  );
  return { values: [...new Set(values)], templated: replaced !== template };
}

function expandFilter(templateSrv: TemplateSrv, filter: LabelFilter, scopedVars: ScopedVars): LabelFilter[] {
  const isPattern = filter.op === '=~' || filter.op === '!~';
  const expanded = filter.values.map((value) =>
    expand(templateSrv, value, scopedVars, isPattern ? escapeRegex : undefined)
  );
  // A variable without a selection restricts nothing; an empty value that the user typed means "label absent".
  const values = expanded.flatMap(({ values, templated }) =>
    templated ? values.filter((value) => value !== '') : values
  );
  if (values.length === 0) {
    return [];
  }
  const isAll = expanded.some(({ values, templated }) => templated && values.some((value) => ALL_VALUES.has(value)));
  if (isAll && !isPattern) {
    return filter.op === '=' ? [] : [{ ...filter, op: '!~', values }];
  }
  return [{ ...filter, values: [...new Set(values)] }];
}

const AD_HOC_OPS: Record<string, FilterOp> = { '=|': '=', '!=|': '!=' };

/** Ad hoc filters stay structured; an operator that no matcher has is refused by name on the server. */
export function fromAdHocFilter(filter: AdHocVariableFilter): LabelFilter {
  return {
    label: filter.key,
    op: AD_HOC_OPS[filter.operator] ?? (filter.operator as FilterOp),
    values: filter.operator in AD_HOC_OPS && filter.values?.length ? filter.values : [filter.value],
  };
}

/** In hand-written PromQL a variable stands inside a quoted matcher, as in Grafana's Prometheus data source. */
export function formatForPromql(value: unknown, variable?: FormattedVariable): string {
  const quote = (plain: string) => plain.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
  if (Array.isArray(value)) {
    const alternatives = value.map((item) => quote(escapeRegex(String(item))));
    return alternatives.length === 1 ? alternatives[0] : `(${alternatives.join('|')})`;
  }
  const plain = String(value);
  return variable?.multi || variable?.includeAll ? quote(escapeRegex(plain)) : quote(plain);
}

/**
 * The filters of a PromQL query that are its own. One that came from a signal keeps the signal's choices for the way
 * back: those filters are in the signal's PromQL already, or were left behind by who wrote another.
 */
export function ownFilters({ queryType, signal, filters }: PDQuery): LabelFilter[] {
  return queryType === 'promql' && signal !== '' ? [] : filters;
}

/** A PromQL query without the choices of a signal that it keeps for the way back. */
export function withoutSignal(query: PDQuery): PDQuery {
  const { schemaVersion, queryType, expr, legend, format } = query;
  const read = { schemaVersion, queryType, expr, legend, format, filters: ownFilters(query) };
  return { ...query, ...DEFAULT_QUERY, signal: '', groupBy: [], ...read, exprMade: undefined };
}

/** What a dashboard groups by comes to what the query itself does. Hand-written PromQL says for itself. */
export function groupedBy(query: PDQuery, keys: string[] = []): PDQuery {
  return query.queryType === 'signal' ? { ...query, groupBy: [...new Set([...query.groupBy, ...keys])] } : query;
}

/** Every text of a query that may hold a variable. */
export function templatesOf(query: PDQuery) {
  const read = query.queryType === 'promql' ? withoutSignal(query) : query;
  const { signal, system, role, window, legend, expr, groupBy, filters, bytesPerRequest } = read;
  return [
    ...[signal, system, role, window, legend, expr, String(bytesPerRequest)],
    ...groupBy,
    ...filters.flatMap((filter) => [filter.label, ...filter.values]),
  ];
}

/** A variable of a dashboard in any spelling; Grafana's own, such as `$__rate_interval`, are no such. */
export const DASHBOARD_VARIABLE = /\$\{?(?!__)[A-Za-z_]|\[\[[A-Za-z_]/;

/**
 * Replaces the variables of a query field by field. PromQL is made on the server only, which adds the dashboard's
 * filters to every selector of a written one.
 */
export function interpolateQuery(
  templateSrv: TemplateSrv,
  saved: PDQuery,
  scopedVars: ScopedVars,
  adHocFilters: AdHocVariableFilter[] = []
): PDQuery {
  const query = saved.queryType === 'promql' ? withoutSignal(saved) : saved;
  const one = (template: string) =>
    template === '' ? '' : templateSrv.replace(template, withoutBackendVariables(scopedVars));
  const many = (templates: string[]) => [
    ...new Set(templates.flatMap((template) => expand(templateSrv, template, scopedVars).values).filter(Boolean)),
  ];
  return {
    ...query,
    signal: one(query.signal),
    system: one(query.system),
    role: ALL_VALUES.has(one(query.role)) ? '' : one(query.role),
    window: one(query.window),
    bytesPerRequest: typeof query.bytesPerRequest === 'string' ? one(query.bytesPerRequest) : query.bytesPerRequest,
    legend: one(query.legend),
    groupBy: many(query.groupBy),
    filters: [
      ...query.filters.flatMap((filter) => expandFilter(templateSrv, filter, scopedVars)),
      ...adHocFilters.filter((filter) => filter.key !== '').map(fromAdHocFilter),
    ],
    expr:
      query.expr === '' ? '' : templateSrv.replace(query.expr, withoutBackendVariables(scopedVars), formatForPromql),
  };
}
