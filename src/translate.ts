import { withSignal } from './components/QueryEditor/withSignal';
import { logicalLabel } from './labelNames';
import type { Catalog, LabelFilter, PDQuery, Signal, SignalKind } from './types';
import { FILTER_OPS } from './wire.gen';

/** A signal that reads what an expression reads, and the query that asks for it. */
export interface Translation {
  signal: Signal;
  query: Partial<PDQuery>;
}

/** More than these are no answer. */
const MOST = 6;

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
const STRING_OR_COMMENT = new RegExp(`#.*|${STRING.source}`, 'g');
const NAME = /(?<![\w:.$])[A-Za-z_:][A-Za-z0-9_:]*(?![\w:]|\s*\()/g;
const MATCHER = new RegExp(`([A-Za-z_][A-Za-z0-9_]*)\\s*(=~|!~|!=|=)\\s*(${STRING.source})`, 'g');
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)/gi;
const WORDS = ['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'group_left', 'group_right', 'start', 'end'];
/** What a histogram's and a summary's series are called beside its name. */
const ENDINGS = /_(?:bucket|sum|count)$/;

/** Signals for an expression that reads metrics of the catalog and no others; none where nobody can tell. */
export function translationsOf(expr: string, catalog: Catalog, query: PDQuery): Translation[] {
  const bare = expr
    .replace(STRING_OR_COMMENT, (found) => (found.startsWith('#') ? '' : '""'))
    .replace(/\{[^{}]*\}/g, '{}')
    .replace(/\[[^[\]]*\]/g, '[]');
  const names = [...bare.replace(GROUPING, '').matchAll(NAME)]
    .map(([name]) => name)
    .filter((name) => !WORDS.includes(name.toLowerCase()));
  if (names.length === 0) {
    return [];
  }
  const role = roleOf(expr);
  const bindings = catalog.bindings.filter(
    (binding) =>
      names.every((name) => isOneOf(binding.metrics, name)) && (role === '' || ['', 'all', role].includes(binding.role))
  );
  const kinds = kindsOf(bare);
  const found = catalog.signals.flatMap((signal) => {
    const systems = bindings.filter((binding) => binding.signal === signal.id).map(({ system }) => system);
    return systems.length > 0 && kinds.includes(signal.kind)
      ? [{ signal, query: asked(expr, bare, signal, systems, query) }]
      : [];
  });
  return found.length > MOST ? [] : found;
}

function isOneOf(metrics: string[], name: string): boolean {
  return metrics.includes(name) || metrics.includes(name.replace(ENDINGS, ''));
}

function kindsOf(bare: string): SignalKind[] {
  if (/histogram_(?:quantile|avg|fraction)\s*\(|_sum\b[^]*\/[^]*_count\b/.test(bare)) {
    return ['distribution'];
  }
  if (bare.includes('/')) {
    return ['ratio'];
  }
  return /\b(?:rate|irate|increase)\s*\(/.test(bare) ? ['rate', 'distribution'] : ['gauge', 'total'];
}

/** What of the expression a signal knows too: its grouping, its quantile and the filters on labels that it has. */
function asked(expr: string, bare: string, signal: Signal, systems: string[], query: PDQuery): Partial<PDQuery> {
  const quantile = Number(/histogram_quantile\s*\(\s*([0-9.]+)\s*,/.exec(bare)?.[1]);
  const isQuantile = quantile > 0 && quantile < 1;
  const role = roleOf(expr);
  const grouping = /\bby\s*\(([^()]*)\)/i.exec(bare)?.[1] ?? '';
  const changed: PDQuery = {
    ...query,
    stat: isQuantile ? 'quantile' : /histogram_avg|_sum\b/.test(bare) ? 'mean' : /_count\b/.test(bare) ? 'rate' : '',
    ...(isQuantile ? { quantile } : {}),
    groupBy: grouping.split(',').map((label) => logicalLabel(label.trim())),
    role: signal.roles.find((known) => known === role) ?? '',
    system: systems.length === 1 ? systems[0] : 'auto',
  };
  return {
    ...withSignal(changed, signal),
    queryType: 'signal',
    quantile: changed.quantile,
    filters: matchersOf(expr).flatMap(({ label, op, value }): LabelFilter[] => {
      const known = { label: logicalLabel(label), op: FILTER_OPS.find((candidate) => candidate === op) ?? '=' };
      return signal.labels.includes(known.label) ? [{ ...known, values: [value] }] : [];
    }),
  };
}

function matchersOf(expr: string) {
  return [...expr.matchAll(MATCHER)].map(([, label, op, quoted]) => {
    const text = quoted.slice(1, -1);
    return { label, op, value: quoted.startsWith('`') ? text : text.replace(/\\(["'\\])/g, '$1') };
  });
}

/** SGLang says of its own series which part of a request they belong to. */
function roleOf(expr: string): string {
  return matchersOf(expr).find(({ label, op }) => label === 'engine_type' && op === '=')?.value ?? '';
}
