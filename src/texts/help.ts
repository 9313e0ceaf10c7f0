/** Texts of the start page of Explore and of the cheat sheet. */

export const title = 'What PD Monitor answers';
export const intro =
  'Choose what you want to know; PD Monitor finds the metric, its name on your engine, the role that exports it, the ranks that repeat it, and the unit. Click an example to use it.';

export const examples = {
  prefill: {
    title: 'Prefill requests per second, by model',
    text: 'The first of the three comparable curves. Its neighbours are KV transfer and decode.',
  },
  transfer: {
    title: 'KV transfer requests per second, by model',
    text: 'Bytes moved, divided by the KV bytes of one request. Set the bytes in the settings of the data source.',
  },
  decode: {
    title: 'Decode requests per second, by model',
    text: 'The third curve: same window, same counters, same axis.',
  },
  ttft: {
    title: 'Time to first token, P99 by model',
    text: 'Buckets are merged before the quantile. Where both roles report it, each is its own series.',
  },
  heatmap: {
    title: 'Inter-token latency as a heatmap',
    text: 'Every bucket over time: two bands are two kinds of steps, which no quantile shows.',
  },
  share: {
    title: 'Share of requests with a first token within a second',
    text: 'What a service level objective asks. A bucket has to end at the limit.',
  },
  usage: {
    title: 'KV cache usage of decode instances',
    text: 'A gauge, shown as it is and never differentiated.',
  },
  waiting: {
    title: 'Requests that wait for prefill',
    text: 'Queue in front of prefill, by instance.',
  },
};
