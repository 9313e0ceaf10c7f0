import { dateTime, type DataQueryRequest, type TimeRange } from '@grafana/data';
import { DataSourceWithBackend } from '@grafana/runtime';
import { EMPTY } from 'rxjs';

import { DataSource } from './datasource';
import { migrateQuery } from './migrate';
import { fakeTemplateSrv, instanceSettings } from './testing/fixtures';
import type { PDQuery } from './types';
import { utcOffsetSec } from './utcOffset';

function range(to: string, raw?: TimeRange['raw']): TimeRange {
  const [from, end] = [dateTime(to).subtract(2, 'days'), dateTime(to)];
  return { from, to: end, raw: raw ?? { from: 'now-2d', to: 'now' } };
}

it.each([
  ['utc', '2026-07-01T12:00:00Z', 0],
  ['Asia/Shanghai', '2026-07-01T12:00:00Z', 28_800],
  ['Asia/Kathmandu', '2026-07-01T12:00:00Z', 20_700],
  ['America/New_York', '2026-07-01T12:00:00Z', -14_400],
  ['America/New_York', '2026-01-01T12:00:00Z', -18_000],
])('is the offset of %s at %s', (timezone, to, expected) => {
  expect(utcOffsetSec({ timezone, range: range(to) })).toBe(expected);
});

it('is that of the browser for a relative range, and none for an absolute one', () => {
  const to = '2026-07-01T12:00:00Z';
  expect(utcOffsetSec({ timezone: 'browser', range: range(to) })).toBe(-new Date(to).getTimezoneOffset() * 60 + 0);
  const absolute = { from: dateTime('2026-06-29T12:00:00Z'), to: dateTime(to) };
  expect(utcOffsetSec({ timezone: 'browser', range: range(to, absolute) })).toBe(0);
});

it('is sent with each query and left out of the saved ones', () => {
  const sent = jest.spyOn(DataSourceWithBackend.prototype, 'query').mockReturnValue(EMPTY);
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  const saved: PDQuery = migrateQuery({ refId: 'A' });
  const request = { targets: [saved], timezone: 'Asia/Kathmandu', range: range('2026-07-01T12:00:00Z') };
  datasource.query(request as DataQueryRequest<PDQuery>);

  const [target] = sent.mock.calls[0][0].targets;
  expect(datasource.applyTemplateVariables(target as PDQuery, {})).toEqual({ ...saved, utcOffsetSec: 20_700 });
  expect(saved).not.toHaveProperty('utcOffsetSec');
  expect(datasource.interpolateVariablesInQueries([saved], {})[0]).not.toHaveProperty('utcOffsetSec');
});

it('stores nothing undefined', () => {
  const datasource = new DataSource(instanceSettings(), fakeTemplateSrv());
  const stored = [migrateQuery({ refId: 'A' }), datasource.applyTemplateVariables(migrateQuery({ refId: 'A' }), {})];
  stored.forEach((query) => expect(Object.values(query)).not.toContain(undefined));
});
