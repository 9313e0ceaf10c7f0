import type { PDQuery, Signal } from '../../types';
import { SYSTEM_AUTO } from '../../wire.gen';
import { statOf } from './statistics';

/** Takes up another signal and lets go of what it does not have, so that no hidden choice is left behind. */
export function withSignal(query: PDQuery, signal: Signal): Partial<PDQuery> {
  const isKnown = (known: string[], value: string) => known.includes(value) || value.includes('$');
  return {
    signal: signal.id,
    stat: statOf(signal, query),
    role: query.role !== '' && isKnown(signal.roles, query.role) ? query.role : '',
    system: isKnown(signal.systems, query.system) ? query.system : SYSTEM_AUTO,
    groupBy: query.groupBy.filter((label) => isKnown(signal.labels, label)),
    bytesPerRequest: signal.perRequestSize ? query.bytesPerRequest : 0,
  };
}
