import { getValueFormats } from '@grafana/data';
import { readFileSync } from 'fs';
import { join } from 'path';

/** The catalog refuses a unit that Grafana does not know; this is the Grafana that the plugin is built with. */
it('lists the units of Grafana for the catalog', () => {
  const known = getValueFormats().flatMap(({ submenu }) => (submenu ?? []).map(({ value }) => value ?? ''));
  const listed = readFileSync(join(__dirname, '..', 'pkg/catalog/grafanaunits.txt'), 'utf8')
    .trim()
    .split('\n');
  expect([...listed].sort()).toEqual([...new Set(known)].sort());
});
