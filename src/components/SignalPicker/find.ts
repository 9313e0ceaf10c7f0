import * as texts from '../../texts';
import type { Signal } from '../../types';

export interface Group {
  /** As the catalog writes it. */
  name: string;
  signals: Signal[];
}

/** What a search looks through, made once for each signal. */
const haystacks = new WeakMap<Signal, string>();

function haystack(signal: Signal): string {
  const known = haystacks.get(signal);
  if (known !== undefined) {
    return known;
  }
  const { id, title, titleZh, meaning, group } = signal;
  const made = [title, titleZh, id, id.replaceAll('_', ' '), meaning, group, texts.groups[group]]
    .join(' ')
    .toLowerCase();
  haystacks.set(signal, made);
  return made;
}

/** What people add to a signal's name and choose in the next field, such as "TTFT P99". */
const STATISTIC = /^(p\d+(\.\d+)?|quantile|mean|average|heatmap)$/;

/**
 * Every word must occur somewhere: in the title in either language, the id, the meaning or the group. One that only
 * names a statistic leaves the signals that have several.
 */
export function findSignals(signals: Signal[], input: string): Signal[] {
  const all = input.toLowerCase().split(/\s+/).filter(Boolean);
  const words = all.filter((word) => !STATISTIC.test(word));
  if (words.length < all.length) {
    return findSignals(signals, words.join(' ')).filter(({ stats }) => stats.length > 1);
  }
  return words.length === 0
    ? signals
    : signals.filter((signal) => words.every((word) => haystack(signal).includes(word)));
}

const isMissing = ({ available }: Signal) => available === false;

/** In the catalog's order; within a group what is here comes before what is not. */
export function groupSignals(signals: Signal[]): Group[] {
  const groups = new Map<string, Signal[]>();
  for (const signal of signals) {
    groups.set(signal.group, [...(groups.get(signal.group) ?? []), signal]);
  }
  return [...groups].map(([name, all]) => ({
    name,
    signals: [...all.filter((one) => !isMissing(one)), ...all.filter(isMissing)],
  }));
}
