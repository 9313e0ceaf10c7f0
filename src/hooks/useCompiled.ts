import { CoreApp, type DataQueryRequest, type TimeRange } from '@grafana/data';

import { DEFAULT_POINTS, DEFAULT_SPAN_MS, type DataSource } from '../datasource';
import { errorMessage } from '../errors';
import { groupedBy } from '../interpolate';
import type { CompileRequest, Compiled, PDQuery } from '../types';
import { useAnswer } from './useAnswer';

const DEBOUNCE_MS = 300;
/** How long the panel's first request is waited for, which tells the step that would have to be guessed otherwise. */
const REQUEST_MS = 3000;
/** Here the panel asks for its data by itself when the editor opens. */
const ASKING = [CoreApp.Explore, CoreApp.PanelEditor];

export interface CompiledState {
  compiled?: Compiled;
  error?: string;
  loading: boolean;
}

function compileRequest(
  datasource: DataSource,
  query: PDQuery,
  range?: TimeRange,
  request?: DataQueryRequest
): CompileRequest {
  const to = range?.to.valueOf() ?? Date.now();
  const from = range?.from.valueOf() ?? to - DEFAULT_SPAN_MS;
  const maxDataPoints = request?.maxDataPoints ?? DEFAULT_POINTS;
  return {
    query: datasource.applyTemplateVariables(
      groupedBy(query, request?.groupByKeys),
      request?.scopedVars ?? {},
      request?.filters
    ),
    intervalMs: request?.intervalMs ?? Math.max(1, Math.ceil((to - from) / maxDataPoints)),
    maxDataPoints,
    from,
    to,
  };
}

/** Asks the server what a query compiles to: debounced, and cancelled when the query changes or the editor closes. */
export function useCompiled(
  datasource: DataSource,
  query: PDQuery,
  { range, request, app }: { range?: TimeRange; request?: DataQueryRequest; app?: CoreApp | string }
): CompiledState {
  const isEmpty = !datasource.filterQuery({ ...query, hide: false });
  const body = compileRequest(datasource, query, range, request);
  // "Now" moves with every refresh and changes nothing in the PromQL, the length of the range may.
  const key = isEmpty ? '' : JSON.stringify([datasource.uid, { ...body, from: 0, to: body.to - body.from }]);
  const isAwaited = request === undefined && ASKING.some((asking) => asking === app);
  const { answer, error, loading } = useAnswer(
    key,
    (abortSignal) => datasource.compile(body, abortSignal),
    isAwaited ? REQUEST_MS : DEBOUNCE_MS
  );
  return { compiled: answer, error: error === undefined ? undefined : errorMessage(error), loading };
}
