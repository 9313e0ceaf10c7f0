import * as texts from './texts';
import { isChinese } from './texts/language';
import type { PDQuery, Signal } from './types';

/** Grafana's unit ids in words. "suffix:tok/s" is Grafana's way to name a unit of one's own. */
export function unitName(unit: string): string {
  return texts.units[unit] ?? unit.replace(/^suffix:\s*/, '');
}

/** 0.99 → "P99", 0.999 → "P99.9". */
export function quantileName(quantile: number): string {
  return `P${Number((quantile * 100).toFixed(6))}`;
}

/** A signal's title in the language of the user. */
export function titleOf(signal: Signal): string {
  return (isChinese && signal.titleZh) || signal.title;
}

/** "ttft" → "TTFT", "prefill_request_rate" → "Prefill request rate": good enough before the catalog has arrived. */
export function signalName(id: string): string {
  if (['ttft', 'itl', 'tpot'].includes(id)) {
    return id.toUpperCase();
  }
  const words = id.replaceAll('_', ' ').replace(/\bkv\b/g, 'KV');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One line for a collapsed query row. */
export function describeQuery(saved: PDQuery): string {
  if (saved.queryType === 'promql') {
    return saved.expr;
  }
  if (saved.queryType === 'inventory') {
    return texts.query.inventory(saved.inventory);
  }
  const stat = saved.stat === 'quantile' ? quantileName(saved.quantile) : saved.stat;
  const parts = [
    [signalName(saved.signal), stat].filter(Boolean).join(' '),
    saved.role && `on ${saved.role}`,
    saved.groupBy.length > 0 && `by ${saved.groupBy.join(', ')}`,
    saved.filters.length > 0 &&
      `where ${saved.filters.map(({ label, op, values }) => `${label} ${op} ${values.join(' | ')}`).join(', ')}`,
  ];
  return parts.filter(Boolean).join(' ');
}
