/** The parts of PromQL that are worth a colour. */
export type Kind = 'text' | 'keyword' | 'function' | 'metric' | 'label' | 'string' | 'range' | 'number' | 'comment';

export interface Token {
  kind: Kind;
  text: string;
}

const KEYWORDS = 'by|without|on|ignoring|group_left|group_right|or|and|unless|bool|offset|atan2|start|end|inf|nan';
const AGGREGATIONS = 'sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|count_values|limitk|limit_ratio';

/** In this order: what comes first wins. Between two matches lies text. */
const TOKENS: Array<[Kind, string]> = [
  ['string', '"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)*\'?|`[^`]*`?'],
  ['comment', '#[^\\n]*'],
  ['range', '\\[[^\\]\\n]*\\]?'],
  // The names in the brackets after these are labels.
  ['label', '(?<=\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\([^()]*)[A-Za-z_][\\w.]*'],
  ['label', '[A-Za-z_][\\w.]*(?=\\s*(?:=~|!~|!=|=(?!=)))'],
  ['keyword', `\\b(?:${KEYWORDS})\\b(?!\\s*[:{])`],
  ['function', `\\b(?:${AGGREGATIONS})\\b(?=\\s*(?:\\(|by\\b|without\\b))|[a-z_][a-z0-9_]*(?=\\s*\\()`],
  ['metric', '[A-Za-z_:$][\\w:]*'],
  ['number', '(?<![\\w:])\\d[\\w.]*(?:e[+-]?\\d+)?'],
];

const PATTERN = new RegExp(TOKENS.map(([, source]) => `(${source})`).join('|'), 'gi');

/**
 * Takes PromQL apart for colouring; the texts joined are the input again. Grafana's own grammar is not among what it
 * shares with plugins, and bundling Prism for one language would be larger than the editor.
 */
export function tokensOf(promql: string): Token[] {
  const tokens: Token[] = [];
  let done = 0;
  for (const match of promql.matchAll(PATTERN)) {
    if (match.index > done) {
      tokens.push({ kind: 'text', text: promql.slice(done, match.index) });
    }
    const group = match.slice(1).findIndex((found) => found !== undefined);
    tokens.push({ kind: TOKENS[group][0], text: match[0] });
    done = match.index + match[0].length;
  }
  if (done < promql.length) {
    tokens.push({ kind: 'text', text: promql.slice(done) });
  }
  return tokens;
}
