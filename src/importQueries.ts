import { AbstractLabelOperator, hasQueryExportSupport, type AbstractQuery, type DataSourceApi } from '@grafana/data';
import { isExpressionReference } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';

import { logicalLabel } from './labelNames';
import { migrateQuery } from './migrate';
import { fromPromQuery, type PromQuery } from './promQuery';
import type { FilterOp, PDQuery } from './types';

/** The data sources whose `expr` is PromQL; Loki's is not. */
const PROMQL_TYPES = [
  'prometheus',
  'grafana-amazonprometheus-datasource',
  'grafana-azureprometheus-datasource',
  'victoriametrics-metrics-datasource',
  'victoriametrics-datasource',
];

const ABSTRACT_OPS: Record<AbstractLabelOperator, FilterOp> = {
  [AbstractLabelOperator.Equal]: '=',
  [AbstractLabelOperator.NotEqual]: '!=',
  [AbstractLabelOperator.EqualRegEx]: '=~',
  [AbstractLabelOperator.NotEqualRegEx]: '!~',
};

/** Queries of another data source as queries of this one, of the type `own`: a PromQL expression as it was written. */
export async function importQueries(
  queries: Array<DataQuery & Partial<PromQuery>>,
  origin: DataSourceApi,
  own: string
): Promise<PDQuery[]> {
  const matchers = await matchersOf(queries, origin);
  return queries.flatMap((query) => {
    const type = query.datasource?.type ?? origin.type;
    if (isExpressionReference(query.datasource)) {
      // Grafana's own arithmetic over the queries beside it, which Grafana leaves to itself.
      return [query as PDQuery];
    }
    if (type === own) {
      return [migrateQuery(query as PDQuery)];
    }
    if (PROMQL_TYPES.includes(type)) {
      const { expr = '' } = query;
      return [migrateQuery(expr.trim() === '' ? common(query) : fromPromQuery({ ...query, expr }))];
    }
    const found = matchers.get(query.refId);
    return found ? [{ ...migrateQuery(common(query)), filters: fromMatchers(found) }] : [];
  });
}

/** What every query has, whatever its data source. */
function common({ refId, hide }: DataQuery) {
  return { refId, ...(hide === undefined ? {} : { hide }) };
}

async function matchersOf(queries: DataQuery[], origin: DataSourceApi): Promise<Map<string, AbstractQuery>> {
  const abstract = hasQueryExportSupport(origin) ? await origin.exportToAbstractQueries(queries) : [];
  return new Map(abstract.map((query) => [query.refId, query]));
}

function fromMatchers({ labelMatchers }: AbstractQuery) {
  return labelMatchers
    .filter(({ name }) => name !== '__name__')
    .map(({ name, value, operator }) => ({ label: logicalLabel(name), op: ABSTRACT_OPS[operator], values: [value] }));
}
