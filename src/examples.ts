import type * as texts from './texts';
import type { PDQuery, SignalId } from './types';

/** What each example of the texts asks. */
export const EXAMPLES: Record<string, Partial<PDQuery>> = {
  prefill: { signal: 'prefill_request_rate', groupBy: ['model'] },
  transfer: { signal: 'kv_transfer_request_rate', groupBy: ['model'] },
  decode: { signal: 'decode_request_rate', groupBy: ['model'] },
  ttft: { signal: 'ttft', stat: 'quantile', quantile: 0.99, groupBy: ['model'] },
  heatmap: { signal: 'itl', stat: 'heatmap', groupBy: [] },
  share: { signal: 'ttft', stat: 'under', limit: 1, groupBy: ['model'] },
  usage: { signal: 'kv_cache_usage', role: 'decode', groupBy: ['instance'] },
  waiting: { signal: 'requests_waiting', role: 'prefill', groupBy: ['instance'] },
} satisfies Record<keyof typeof texts.help.examples, Partial<PDQuery> & { signal: SignalId }>;
