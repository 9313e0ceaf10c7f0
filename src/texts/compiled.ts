import type { QueryType } from '../types';

/** Texts of the compiled query. */

export const title = 'Compiled PromQL';
export const copy = 'Copy';
export const copyLabel = (position: number, count: number) => (count > 1 ? `Copy PromQL ${position}` : 'Copy PromQL');
export const loading = 'Compiling…';
export const empty: Record<QueryType, string> = {
  signal: 'Choose a signal to see its PromQL.',
  promql: 'Write PromQL to see what is sent.',
  inventory: 'An inventory has no PromQL.',
};
export const explore = 'Open in Explore';
export const failed = 'This query cannot be compiled';
export const explanation = 'How this is computed';
export const window = (range: string) => `window ${range}`;
export const unit = (name: string) => `unit: ${name}`;
export const severity = { info: 'Note', warning: 'Warning', error: 'Error' };
