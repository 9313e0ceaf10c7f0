import { quantileName } from '../../names';
import * as texts from '../../texts';
import type { PDQuery, Signal, Stat } from '../../types';
import { parseQuantile } from '../../validate';
import { STATS } from '../../wire.gen';

/** A statistic as people think of it: P99 is one choice, not a quantile and then a number. */
export interface Choice {
  value: string;
  label: string;
  description?: string;
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99];
const PREFIX = 'quantile ';

/** The statistic that applies: what was asked for where the signal has it, else its first. */
export function statOf(signal: Signal, query: Pick<PDQuery, 'stat'>): Stat {
  return signal.stats.includes(query.stat) ? query.stat : (signal.stats[0] ?? '');
}

export function choiceOf(signal: Signal, query: Pick<PDQuery, 'stat' | 'quantile'>): string {
  const stat = statOf(signal, query);
  return stat === 'quantile' ? `${PREFIX}${query.quantile}` : stat;
}

/** What one may choose for a signal; the query's own quantile is among them. */
export function choicesOf(signal: Signal, query: Pick<PDQuery, 'stat' | 'quantile'>): Choice[] {
  const own = statOf(signal, query) === 'quantile' ? [query.quantile] : [];
  const quantiles = [...new Set([...QUANTILES, ...own])].sort((a, b) => a - b);
  return STATS.filter((stat) => signal.stats.includes(stat)).flatMap((stat) =>
    stat === 'quantile'
      ? quantiles.map((quantile) => ({ value: `${PREFIX}${quantile}`, label: quantileName(quantile) }))
      : [{ value: stat, ...texts.stats[stat] }]
  );
}

/** What a choice, or a quantile that was typed, changes in the query; undefined where it is neither. */
export function chosen(signal: Signal, value: string): Partial<PDQuery> | undefined {
  const stat = signal.stats.find((candidate) => candidate === value) ?? typedStat(signal, value);
  if (stat !== undefined) {
    // A heatmap has an axis of time.
    return stat === 'heatmap' ? { stat, format: 'time_series' } : { stat };
  }
  const quantile = parseQuantile(value.startsWith(PREFIX) ? value.slice(PREFIX.length) : value);
  return quantile === undefined ? undefined : { stat: 'quantile', quantile };
}

/** Who types "heat" and presses Enter means the heatmap and no quantile of that name. */
function typedStat(signal: Signal, text: string): Stat | undefined {
  const typed = text.trim().toLowerCase();
  const named = signal.stats.filter((stat) => texts.stats[stat].label.toLowerCase().startsWith(typed));
  return typed !== '' && named.length === 1 && named[0] !== 'quantile' ? named[0] : undefined;
}
