import { DEFAULT_QUERY } from './migrate';
import type * as texts from './texts';
import type { PDQuery, SignalId } from './types';

/** What happens now and then and is worth a mark on a graph: the query of each kind of event. */
export const EVENTS: Record<keyof typeof texts.annotation.kinds, Partial<PDQuery> & { signal: SignalId }> = {
  restarts: { signal: 'engine_restarts', groupBy: ['instance'] },
  preemptions: { signal: 'preemption_rate', groupBy: ['model', 'instance'] },
  retractions: { signal: 'retraction_rate', groupBy: ['model', 'instance'] },
  kvExpiry: { signal: 'kv_lease_expiry_rate', groupBy: ['model'] },
  transferFailures: { signal: 'transfer_failure_rate', groupBy: ['model'] },
  bootstrapFailures: { signal: 'bootstrap_failure_rate', groupBy: ['model'] },
  xid: { signal: 'xid_error_rate', groupBy: ['gpu', 'gpu_host'] },
};

export type EventKind = keyof typeof EVENTS;

export const eventQuery = (kind: EventKind): Omit<PDQuery, 'refId'> => ({
  ...DEFAULT_QUERY,
  filters: [],
  ...EVENTS[kind],
});

/** The kind whose query this is, filters and roles aside; undefined where it is one of the user's own. */
export function kindOf({ queryType, signal }: PDQuery): EventKind | undefined {
  return (Object.keys(EVENTS) as EventKind[]).find((kind) => queryType === 'signal' && EVENTS[kind].signal === signal);
}
