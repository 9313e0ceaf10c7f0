/** Texts of the annotation editor. */

export const kind = 'Mark';
export const kindHelp = 'Sets the query below. A mark lasts as long as the value is above zero.';
export const own = 'A query of my own';
export const kinds = {
  restarts: { label: 'Engine restarts', description: 'Counters that began anew' },
  preemptions: { label: 'Preemptions', description: 'Requests that lost their KV memory' },
  retractions: { label: 'Retractions', description: 'Requests sent back to the queue' },
  kvExpiry: { label: 'KV lease expiries', description: 'Decode did not fetch the cache in time' },
  transferFailures: { label: 'Transfer failures', description: 'KV transfers that failed' },
  bootstrapFailures: { label: 'Bootstrap failures', description: 'Prefill and decode did not find each other' },
  xid: { label: 'XID errors', description: 'Errors that the driver of a GPU reports' },
};
