import type { DataSource } from 'plugin/datasource';
import { errorMessage } from 'plugin/errors';
import { useEffect, useRef, useState } from 'react';
import type { Subscription } from 'rxjs';

import { makeRequest, readResponse, type Ask, type Result } from './run';

interface QueryState {
  result?: Result;
  isLoading: boolean;
}

/**
 * Runs queries again whenever what is asked changes, and with every new range. A refresh that comes while an answer is
 * still on its way is left out, so that a server slower than the refresh is not asked more and more.
 */
export function useQuery(datasource: DataSource, ask: Ask | undefined): QueryState {
  const [state, setState] = useState<QueryState>({ isLoading: false });
  const running = useRef<{ key: string; subscription: Subscription }>(null);

  const isEmpty = ask === undefined || !ask.targets.some((query) => datasource.filterQuery(query));
  // Everything but the moving "now".
  const key = isEmpty
    ? ''
    : JSON.stringify([ask.targets, ask.scopedVars, ask.maxDataPoints, ask.minInterval, ask.range.raw]);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });

  useEffect(() => {
    const asked = latest.current;
    if (running.current && running.current.key === key && !running.current.subscription.closed) {
      return;
    }
    running.current?.subscription.unsubscribe();
    if (key === '' || asked === undefined) {
      return;
    }
    setState(({ result }) => ({ result, isLoading: true }));
    const request = makeRequest(datasource, asked);
    const subscription = datasource.query(request).subscribe({
      next: (response) => setState({ result: readResponse(request, response), isLoading: false }),
      error: (error: unknown) =>
        setState({
          result: readResponse(request, { data: [], errors: [{ message: errorMessage(error) }] }),
          isLoading: false,
        }),
    });
    running.current = { key, subscription };
  }, [datasource, key, ask?.range]);

  useEffect(() => () => running.current?.subscription.unsubscribe(), []);

  return isEmpty && ask !== undefined ? { isLoading: false } : state;
}
