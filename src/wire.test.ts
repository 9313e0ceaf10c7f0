import pluginJson from './plugin.json';
import { FURTHER_FIELDS, GEOMETRY_FIELDS, MAIN_FIELDS } from './requestSize';
import { CHOICE_FIELDS, COUNT_FIELDS, SWITCH_FIELDS } from './wire.gen';

/** What of the wire the compiler does not hold the front end to. */

it('offers every field of a request size', () => {
  const offered = ['bytesPerRequest', ...GEOMETRY_FIELDS, ...MAIN_FIELDS, ...FURTHER_FIELDS];
  expect([...new Set(offered)].sort()).toEqual([...COUNT_FIELDS, ...CHOICE_FIELDS, ...SWITCH_FIELDS].sort());
});

it('is the plugin that it says', () => {
  expect(pluginJson).toMatchObject({ id: 'ptd-pdmonitor-datasource', executable: 'gpx_pdmonitor', backend: true });
});
