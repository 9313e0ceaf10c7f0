import { dateTime, rangeUtil, type RawTimeRange, type TimeRange } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { useCallback, useEffect, useMemo, useState } from 'react';

import { useLocation } from '../location';

export interface Defaults {
  from: string;
  to: string;
  refresh: string;
}

export interface TimeState {
  range: TimeRange;
  refresh: string;
  setRange: (range: TimeRange) => void;
  /** Sets an absolute range, in epoch milliseconds. */
  zoom: (from: number, to: number) => void;
  setRefresh: (refresh: string) => void;
  /** Brings a relative range up to now. */
  runNow: () => void;
}

/** "now-5m" stays as it is; a number is epoch milliseconds. */
function parse(text: string) {
  return /^\d+$/.test(text) ? dateTime(Number(text)) : text;
}

export function stringify(at: RawTimeRange['from']): string {
  return typeof at === 'string' ? at : String(at.valueOf());
}

/**
 * The time range and refresh of a page. Both are in the address, so that a reload and a link keep them. With each
 * refresh there is a new range object, which is what queries run on.
 */
export function useTimeRange(defaults: Defaults): TimeState {
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const from = params.get('from') ?? defaults.from;
  const to = params.get('to') ?? defaults.to;
  const refresh = params.get('refresh') ?? defaults.refresh;

  const [tick, setTick] = useState(0);
  const runNow = useCallback(() => setTick((count) => count + 1), []);

  useEffect(() => {
    const every = refresh === '' ? 0 : rangeUtil.intervalToMs(refresh);
    if (every === 0) {
      return;
    }
    // Nobody looks at a hidden page; it catches up when it is shown again.
    const timer = setInterval(() => !document.hidden && runNow(), every);
    const catchUp = () => !document.hidden && runNow();
    document.addEventListener('visibilitychange', catchUp);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', catchUp);
    };
  }, [refresh, runNow]);

  const range = useMemo(
    () => rangeUtil.convertRawToRange({ from: parse(from), to: parse(to) }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a tick moves "now", which the range is made of.
    [from, to, tick]
  );
  const setRange = useCallback(
    ({ raw }: TimeRange) => locationService.partial({ from: stringify(raw.from), to: stringify(raw.to) }),
    []
  );
  const zoom = useCallback(
    (start: number, end: number) =>
      locationService.partial({ from: String(Math.floor(start)), to: String(Math.ceil(end)) }),
    []
  );
  const setRefresh = useCallback((interval: string) => locationService.partial({ refresh: interval }, true), []);
  return { range, refresh, setRange, zoom, setRefresh, runNow };
}
