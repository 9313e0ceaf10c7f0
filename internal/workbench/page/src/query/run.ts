import {
  CoreApp,
  rangeUtil,
  type DataFrame,
  type DataQueryError,
  type DataQueryRequest,
  type DataQueryResponse,
  type QueryResultMetaNotice,
  type ScopedVars,
  type TimeRange,
} from '@grafana/data';
import type { DataSource } from 'plugin/datasource';
import type { PDQuery } from 'plugin/types';

export interface Ask {
  app: CoreApp;
  targets: PDQuery[];
  range: TimeRange;
  maxDataPoints: number;
  minInterval?: string;
  scopedVars?: ScopedVars;
}

/** What one run of queries brought. */
export interface Result {
  frames: DataFrame[];
  notices: QueryResultMetaNotice[];
  range: TimeRange;
  request: DataQueryRequest<PDQuery>;
}

/** A request as Grafana's panels make it. */
export function makeRequest(datasource: DataSource, ask: Ask): DataQueryRequest<PDQuery> {
  const { interval, intervalMs } = rangeUtil.calculateInterval(ask.range, ask.maxDataPoints, ask.minInterval);
  const targets = ask.targets
    .filter((query) => datasource.filterQuery(query))
    // A query without a reference is one for the data source that it is given to.
    .map(({ datasource: _, ...query }) => query);
  return {
    app: ask.app,
    requestId: '',
    timezone: 'browser',
    startTime: Date.now(),
    range: ask.range,
    rangeRaw: ask.range.raw,
    interval,
    intervalMs,
    maxDataPoints: ask.maxDataPoints,
    targets,
    scopedVars: {
      ...ask.scopedVars,
      __interval: { text: interval, value: interval },
      __interval_ms: { text: String(intervalMs), value: intervalMs },
    },
  };
}

function errorsOf(response: DataQueryResponse): DataQueryError[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- a request that failed as a whole is told here alone.
  const { errors, error } = response;
  return errors ?? (error ? [error] : []);
}

/** Everything that is to be said about an answer: errors first, each text once. */
function noticesOf(response: DataQueryResponse, frames: DataFrame[]): QueryResultMetaNotice[] {
  const errors = errorsOf(response).map(({ message, data }): QueryResultMetaNotice => ({
    severity: 'error',
    text: message ?? data?.message ?? 'Error',
  }));
  const all = [...errors, ...frames.flatMap(({ meta }) => meta?.notices ?? [])];
  const order = { error: 0, warning: 1, info: 2 };
  return all
    .filter(({ text }, index) => all.findIndex((other) => other.text === text) === index)
    .sort((a, b) => order[a.severity] - order[b.severity]);
}

export function readResponse(request: DataQueryRequest<PDQuery>, response: DataQueryResponse): Result {
  const frames = response.data as DataFrame[];
  return { frames, notices: noticesOf(response, frames), range: request.range, request };
}
