import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { KV_DTYPES } from './kvBytes';
import { DEFAULT_QUERY, FILTER_OPS } from './migrate';
import pluginJson from './plugin.json';
import * as texts from './texts';

/** The Go side is the authority on what travels. These tests read its sources, so that the two cannot drift apart. */
const root = join(__dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const signals = () =>
  readdirSync(join(root, 'pkg/catalog/signals'))
    .map((file) => read(`pkg/catalog/signals/${file}`))
    .join('\n');

function jsonFields(source: string, struct: string): string[] {
  const body = new RegExp(`type ${struct} struct \\{([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/json:"(\w+)/g)].map(([, name]) => name);
}

it('has the fields of the query', () => {
  expect(Object.keys(DEFAULT_QUERY).sort()).toEqual(jsonFields(read('pkg/query/query.go'), 'Query').sort());
});

it('has the operators of filters', () => {
  const ops = [...read('pkg/query/query.go').matchAll(/^\s+Op\w+\s+Op\s+=\s+"([^"]+)"/gm)].map(([, op]) => op);
  expect([...FILTER_OPS].sort()).toEqual(ops.sort());
});

it('offers only data types whose width the server knows too', () => {
  const source = read('pkg/kvcache/dtype.go');
  const widths = new Map<string, number>();
  for (const [, names, width] of source.matchAll(/case ((?:"\w+"(?:, )?)+):\s*return (\d+), ""/g)) {
    names.split(', ').forEach((name) => widths.set(name.replaceAll('"', ''), Number(width)));
  }
  for (const [name, bytes] of Object.entries(KV_DTYPES)) {
    expect([name, widths.get(name)]).toEqual([name, Number(bytes)]);
  }
});

it('names every kind of signal', () => {
  const kinds = [...signals().matchAll(/^ {2}kind: (\w+)/gm)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(0);
  expect(Object.keys(texts.kinds)).toEqual(expect.arrayContaining([...new Set(kinds)]));
});

it('shows examples of signals that exist', () => {
  const ids = [...signals().matchAll(/^- id: (\w+)/gm)].map(([, id]) => id);
  const asked = [DEFAULT_QUERY.signal, ...texts.help.examples.map(({ query }) => query.signal)];
  expect(ids).toEqual(expect.arrayContaining(asked));
});

it('is the plugin that it says', () => {
  expect(pluginJson).toMatchObject({ id: 'ptd-pdmonitor-datasource', executable: 'gpx_pdmonitor', backend: true });
});
