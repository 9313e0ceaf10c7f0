import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { EVENTS } from './events';
import { EXAMPLES } from './examples';
import { DEFAULT_QUERY, FILTER_OPS, STATS } from './migrate';
import pluginJson from './plugin.json';
import { CONNECTORS, FURTHER_FIELDS, GEOMETRY_FIELDS, GEOMETRY_KV_DTYPES, KV_DTYPES, MAIN_FIELDS } from './requestSize';
import { catalog } from './testing/fixtures';
import * as texts from './texts';
import * as chinese from './texts/zh/terms';

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

it('knows fields of a binding that there are', () => {
  const { bindings } = catalog;
  expect(jsonFields(read('pkg/plugin/listbindings.go'), 'ListedBinding')).toEqual(
    expect.arrayContaining(Object.keys(bindings[0]))
  );
});

it('has the operators of filters', () => {
  const ops = [...read('pkg/query/query.go').matchAll(/^\s+Op\w+\s+Op\s+=\s+"([^"]+)"/gm)].map(([, op]) => op);
  expect([...FILTER_OPS].sort()).toEqual(ops.sort());
});

it('has the statistics and names each', () => {
  const stats = [...read('pkg/query/query.go').matchAll(/^\s+Stat\w+\s+Stat\s+=\s+"([^"]*)"/gm)].map(
    ([, stat]) => stat
  );
  expect([...STATS].sort()).toEqual(stats.sort());
  expect(Object.keys(texts.stats).sort()).toEqual(stats.sort());
});

it('names every group, level and system of the catalog in Chinese', () => {
  const named = (key: string) =>
    [...signals().matchAll(new RegExp(`^ {2}${key}: (.+)$`, 'gm'))].map(([, name]) => name);
  expect(Object.keys(chinese.groups)).toEqual(expect.arrayContaining([...new Set(named('group'))]));
  expect(Object.keys(chinese.levels)).toEqual(expect.arrayContaining([...new Set(named('level'))]));
  const systems = readdirSync(join(root, 'pkg/catalog/systems')).map((file) => file.replace('.yaml', ''));
  expect(Object.keys(texts.systems)).toEqual(expect.arrayContaining(systems));
});

it('has the fields of a request size', () => {
  const known = [...read('pkg/kvcache/fields.go').matchAll(/\{Name: "(\w+)"/g)].map(([, name]) => name);
  const offered = ['model', 'preset', 'bytesPerRequest', ...GEOMETRY_FIELDS, ...MAIN_FIELDS, ...FURTHER_FIELDS];
  expect([...new Set(offered)].sort()).toEqual(known.sort());
});

it('offers the KV data types of the engines', () => {
  const names = (source: string) => [...source.matchAll(/"([a-z]+[a-z0-9_]*)"/g)].map(([, name]) => name);
  const layouts = /func layouts\(\)[\s\S]*?\n\}/.exec(read('pkg/kvcache/layout.go'))?.[0] ?? '';
  expect([...KV_DTYPES].sort()).toEqual(['auto', ...names(layouts)].sort());
  const widths = /switch dtype[\s\S]*?\n\t\}/.exec(read('pkg/kvcache/dtype.go'))?.[0] ?? '';
  const cases = [...widths.matchAll(/case (.*):/g)].flatMap(([, list]) => names(list));
  expect([...GEOMETRY_KV_DTYPES].sort()).toEqual(cases.sort());
});

it('offers the connectors of the engines', () => {
  const source = read('pkg/kvcache/deployment.go');
  for (const [engine, label] of [
    ['vllm', 'VLLM'],
    ['sglang', 'SGLang'],
  ]) {
    const list = new RegExp(`case engine${label}:\\s*return \\[\\]string\\{([^}]*)\\}`).exec(source)?.[1] ?? '';
    expect(CONNECTORS[engine]).toEqual([...list.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  }
});

it('names every kind of layer', () => {
  const kinds = [...read('pkg/kvcache/layer.go').matchAll(/^\tKind\w+ Kind = "(\w+)"/gm)].map(([, kind]) => kind);
  expect(Object.keys(texts.sizes.layerKinds).sort()).toEqual(kinds.sort());
});

it('names every kind of signal', () => {
  const kinds = [...signals().matchAll(/^ {2}kind: (\w+)/gm)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(0);
  expect(Object.keys(texts.kinds)).toEqual(expect.arrayContaining([...new Set(kinds)]));
});

it('shows examples of signals that exist', () => {
  const ids = [...signals().matchAll(/^- id: (\w+)/gm)].map(([, id]) => id);
  const asked = [
    DEFAULT_QUERY.signal,
    ...[...Object.values(EXAMPLES), ...Object.values(EVENTS)].map(({ signal }) => signal),
  ];
  expect(ids).toEqual(expect.arrayContaining(asked));
});

it('is the plugin that it says', () => {
  expect(pluginJson).toMatchObject({ id: 'ptd-pdmonitor-datasource', executable: 'gpx_pdmonitor', backend: true });
});
