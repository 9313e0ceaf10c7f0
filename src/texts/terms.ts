import type { FilterOp, Format, KVSource, Level, RankStrategy, RateMode, Role, SignalKind, Stat } from '../types';
import { SYSTEM_AUTO, SYSTEMS } from '../wire.gen';

/** Words of the domain, which several editors share. */

export const units: Record<string, string> = {
  s: 'seconds',
  reqps: 'requests/s',
  pps: 'packets/s',
  Bps: 'bytes/s',
  bytes: 'bytes',
  percentunit: 'ratio',
  short: 'count',
  none: 'count',
};

export const stats: Record<Stat, { label: string; description: string }> = {
  '': { label: 'Value', description: 'The signal itself' },
  quantile: { label: 'Quantile', description: 'From the merged buckets of all instances' },
  mean: { label: 'Mean', description: 'Sum over count in the window' },
  rate: { label: 'Rate', description: 'Observations per second' },
  under: { label: 'Share under a limit', description: 'Share of observations up to a limit, at which a bucket ends' },
  heatmap: { label: 'Heatmap', description: 'Observations per second in each bucket, for the heatmap panel' },
  skew: { label: 'Skew', description: 'Largest over mean of engines and data-parallel ranks: 1 is even load' },
};

export const kinds: Record<SignalKind, string> = {
  rate: 'Rate of a counter',
  total: 'Cumulative counter',
  gauge: 'Gauge, shown as it is',
  distribution: 'Histogram',
  ratio: 'Ratio of two rates',
  restart: '1 after a restart, else 0',
};

/** What one event of a signal is. */
export const levels: Record<string, string> = {
  request: 'request',
  operation: 'operation',
  batch: 'batch',
  server: 'server',
  device: 'device',
} satisfies Record<Level, string>;

/** Headings of the picker; the catalog's own where there is none. */
export const groups: Record<string, string> = {};

export const roles: Record<string, { label: string; description: string }> = {
  '': { label: 'Auto', description: 'The role that means this signal' },
  prefill: { label: 'Prefill', description: 'Prefill instances only' },
  decode: { label: 'Decode', description: 'Decode instances only' },
  unified: { label: 'Unified', description: 'Instances that do both' },
} satisfies Record<Role, { label: string; description: string }>;

export const systems: Record<string, string> = {
  ...Object.fromEntries(Object.entries(SYSTEMS).map(([name, { title }]) => [name, title])),
  [SYSTEM_AUTO]: 'Auto',
};

export const rateModes: Record<RateMode, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'Adjacent samples when zoomed in, a window when zoomed out' },
  adjacent: { label: 'Adjacent', description: 'Between neighbouring samples: every scrape is drawn' },
  window: { label: 'Window', description: 'Averaged over the window: nothing between points is lost' },
};

export const formats: Record<Format, string> = { time_series: 'Time series', table: 'Table' };

export const filterOps: Record<FilterOp, string> = {
  '=': 'is',
  '!=': 'is not',
  '=~': 'matches the pattern',
  '!~': 'does not match the pattern',
};

export const rankStrategies: Record<RankStrategy, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'Per metric, as the engine is known to repeat or to split it' },
  collapse: { label: 'Collapse', description: 'Keep one copy of what tensor-parallel ranks repeat' },
  rank0: { label: 'Rank 0', description: 'Read tensor-parallel rank 0 only; wrong with data-parallel attention' },
  sum: { label: 'Sum', description: 'Add all ranks: only where each rank reports its own part' },
};

export const kvSources: Record<KVSource, { label: string; description: string }> = {
  auto: { label: 'Auto', description: 'The first that is exported; it is named in the notices' },
  flagcx: { label: 'FlagCX', description: 'Bytes counted by the FlagCX connector' },
  nixl: { label: 'NIXL', description: 'Bytes counted by the NIXL connector of vLLM' },
  sglang: { label: 'SGLang', description: 'Megabytes counted by SGLang itself' },
  mooncake: { label: 'Mooncake', description: 'Bytes counted by the Mooncake transfer engine' },
};
