import { AbstractLabelOperator, getNextRefId, type AbstractQuery } from '@grafana/data';
import { isExpressionReference } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';

import { escapeRegex, ownFilters } from './interpolate';
import { physicalLabels } from './labelNames';
import { migrateQuery } from './migrate';
import type { PromQuery } from './promQuery';
import type { Compiled, LabelFilter, PDQuery } from './types';

/**
 * Queries of this data source for another one. Grafana hands over label matchers, of which Prometheus makes a selector;
 * what knows PromQL shall get the expressions themselves, several for a signal that takes several.
 */
export async function exportQueries(
  saved: PDQuery[],
  compile: (query: PDQuery) => Promise<Compiled>
): Promise<AbstractQuery[]> {
  // Grafana's own arithmetic over the queries beside it is left as it is.
  const queries = saved.map((query) => (isExpressionReference(query.datasource) ? query : migrateQuery(query)));
  const expressions = await Promise.all(
    queries.map(async (query) => (isExpressionReference(query.datasource) ? [] : expressionsOf(query, compile)))
  );
  const taken: DataQuery[] = [...queries];
  const exported = queries.flatMap((query, position): Exported[] => {
    if (isExpressionReference(query.datasource)) {
      return [{ matchers: { refId: query.refId, labelMatchers: [] }, whole: query, isFurther: false }];
    }
    const [first, ...others] = expressions[position];
    const abstract = (refId: string) => ({ refId, labelMatchers: ownFilters(query).flatMap(matchersOf) });
    return [
      { matchers: abstract(query.refId), whole: first && { ...first, refId: query.refId }, isFurther: false },
      ...others.map((other) => {
        const refId = getNextRefId(taken);
        taken.push({ refId });
        return { matchers: abstract(refId), whole: { ...other, refId }, isFurther: true };
      }),
    ];
  });
  return handedOver(exported);
}

interface Exported {
  matchers: AbstractQuery;
  /** What a data source that knows PromQL gets in place of what it makes of the matchers. */
  whole?: DataQuery;
  /** One more expression of the query before, with the same matchers. */
  isFurther: boolean;
}

/**
 * The list that Grafana passes on. A data source makes its queries of it by one `map`; where those are Prometheus'
 * queries they get the expressions, which no label matcher can carry. Without that they stay what they are.
 */
function handedOver(exported: Exported[]): AbstractQuery[] {
  const list = exported.map(({ matchers }) => matchers);
  const map = (make: (query: AbstractQuery, index: number, all: AbstractQuery[]) => unknown) =>
    exported.flatMap(({ matchers, whole, isFurther }, index) => {
      const made = make(matchers, index, list);
      if (isPrometheus(made)) {
        return [isExpressionReference(whole?.datasource) ? whole : { ...made, ...whole }];
      }
      return isFurther ? [] : [made];
    });
  Object.defineProperty(list, 'map', { value: map });
  return list;
}

/** Loki's queries have an `expr` too, but no `range`. */
function isPrometheus(made: unknown): made is PromQuery {
  return typeof made === 'object' && made !== null && 'expr' in made && 'range' in made && made.range === true;
}

async function expressionsOf(
  query: PDQuery,
  compile: (query: PDQuery) => Promise<Compiled>
): Promise<Array<Omit<PromQuery, 'refId'>>> {
  const prom = (expr: string): Omit<PromQuery, 'refId'> => ({
    ...(query.hide === undefined ? {} : { hide: query.hide }),
    expr,
    legendFormat: legendOf(query, expr),
    editorMode: 'code',
    ...(query.format === 'table'
      ? { format: 'table', instant: true, range: false }
      : { format: 'time_series', instant: false, range: true }),
  });
  if (query.queryType === 'promql' && ownFilters(query).length === 0) {
    return query.expr.trim() === '' ? [] : [prom(query.expr)];
  }
  const isAsked = { signal: query.signal !== '', promql: query.expr.trim() !== '', inventory: false }[query.queryType];
  if (!isAsked) {
    return [];
  }
  // A server that cannot be asked must not stop the change of the data source.
  const compiled = await compile(query).catch(() => undefined);
  return compiled?.promql.map(prom) ?? [];
}

/** The legend with the labels' names in the answer of Prometheus, which no one renames there. */
function legendOf({ legend, role, system }: PDQuery, expr: string): string {
  if (legend === '') {
    return '__auto';
  }
  const known: Record<string, string> = { role, system: system === 'auto' ? '' : system };
  const grouped = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) => list.split(/\s*,\s*/));
  return legend.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, label: string) => {
    const name = grouped.includes(label) ? label : physicalLabels(label).find((physical) => grouped.includes(physical));
    return name ? `{{${name}}}` : known[label] || whole;
  });
}

/** Matchers hold the text between the quotes. */
function matchersOf({ label, op, values }: LabelFilter): AbstractQuery['labelMatchers'] {
  const isPattern = op === '=~' || op === '!~';
  const isNegative = op === '!=' || op === '!~';
  if (values.length === 0) {
    return [];
  }
  const value = values.length === 1 ? values[0] : values.map(isPattern ? String : escapeRegex).join('|');
  const operator =
    isPattern || values.length > 1
      ? { true: AbstractLabelOperator.NotEqualRegEx, false: AbstractLabelOperator.EqualRegEx }
      : { true: AbstractLabelOperator.NotEqual, false: AbstractLabelOperator.Equal };
  return [
    {
      name: physicalLabels(label)[0],
      operator: operator[`${isNegative}`],
      value: value.replace(/\\/g, '\\\\').replace(/"/g, '\\"'),
    },
  ];
}
