import { dateTimeForTimeZone, type DataQueryRequest } from '@grafana/data';

/**
 * Seconds east of UTC, which the back end aligns steps of an hour and more with, so that a day starts at the user's
 * midnight. As in Grafana's Prometheus data source: where the browser decides, an absolute range is taken as it is.
 */
export function utcOffsetSec({ range, timezone }: Pick<DataQueryRequest, 'range' | 'timezone'>): number {
  const isRelative = [range.raw.from, range.raw.to].some((end) => typeof end === 'string' && end.includes('now'));
  if (timezone === 'browser' && !isRelative) {
    return 0;
  }
  // The offset at the end of the range, since the clocks may have changed since.
  return Math.round(dateTimeForTimeZone(timezone, range.to.valueOf()).utcOffset()) * 60 || 0;
}
