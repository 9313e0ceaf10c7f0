import { readdirSync } from 'fs';
import { join } from 'path';

const directory = join(__dirname, 'texts');
const parts = readdirSync(join(directory, 'zh')).map((file) => file.replace('.ts', ''));

/** Paths of all texts, and what kind each is. */
function shape(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => shape(inner, `${path}.${name}`));
  }
  return [typeof value === 'function' ? `${path}()` : path];
}

/** Open lists, for which any name has a text of its own or none. */
const open = (path: string) => /^\.(groups|labels|levels|systems|units)\./.test(path);

it.each(parts)('has the same texts of %s in both languages', (part) => {
  const english = shape(jest.requireActual(join(directory, part))).filter((path) => !open(path));
  const chinese = shape(jest.requireActual(join(directory, 'zh', part))).filter((path) => !open(path));
  expect(chinese.sort()).toEqual(english.sort());
});

it('has every part in both languages', () => {
  const english = readdirSync(directory).flatMap((file) => /^(\w+)\.ts$/.exec(file)?.[1] ?? []);
  expect([...parts, 'language'].sort()).toEqual(english.sort());
});

it.each([
  ['zh-Hans', '信号'],
  ['zh-CN', '信号'],
  ['en-US', 'Signal'],
  ['de-DE', 'Signal'],
  [undefined, 'Signal'],
])('follows the language of Grafana: %s', (language, signal) => {
  jest.isolateModules(() => {
    jest.doMock('@grafana/runtime', () => ({ config: { bootData: { user: { language } } } }));
    expect(jest.requireActual('./texts').query.signal).toBe(signal);
    jest.dontMock('@grafana/runtime');
  });
});
