import type { DataQuery } from '@grafana/schema';

import type { PDQuery } from './types';

/** What a query of Grafana's Prometheus data source has that means something here. */
export interface PromQuery extends DataQuery {
  expr: string;
  legendFormat?: string;
  format?: string;
  instant?: boolean;
  range?: boolean;
  editorMode?: string;
}

/** Legends that Prometheus' editor makes by itself. */
const AUTOMATIC_LEGENDS = ['__auto', '__verbose'];

/** Whether Grafana left a query of Prometheus as it was, as it does in a panel of mixed data sources. */
export function isPromQuery(query: object): query is PromQuery {
  const { expr, legendFormat, editorMode } = query as Partial<PromQuery>;
  return typeof expr === 'string' && expr !== '' && [legendFormat, editorMode].some((own) => typeof own === 'string');
}

/** The expression as it was written. Nothing else is kept, so that no choice is left that no editor shows. */
export function fromPromQuery({ refId, hide, datasource, expr, legendFormat = '', format }: PromQuery) {
  return {
    refId,
    ...(hide === undefined ? {} : { hide }),
    ...(datasource ? { datasource } : {}),
    queryType: 'promql',
    signal: '',
    expr,
    legend: AUTOMATIC_LEGENDS.includes(legendFormat) ? '' : legendFormat,
    format: format === 'table' ? 'table' : 'time_series',
  } satisfies Partial<PDQuery>;
}
