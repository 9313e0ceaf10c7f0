import { dateTime, type TimeRange } from '@grafana/data';
import { RefreshPicker, TimeRangePicker } from '@grafana/ui';
import React from 'react';

import * as texts from '../texts';
import type { TimeState } from './useTimeRange';

export const REFRESH_INTERVALS = ['1s', '2s', '5s', '10s', '30s', '1m', '5m'];

interface Props {
  time: TimeState;
  intervals?: string[];
  isLoading?: boolean;
  refreshText?: string;
}

function moved({ from, to }: TimeRange, ms: number): TimeRange {
  const raw = { from: dateTime(from.valueOf() + ms), to: dateTime(to.valueOf() + ms) };
  return { ...raw, raw };
}

function widened({ from, to }: TimeRange): TimeRange {
  const half = Math.max(1000, to.valueOf() - from.valueOf()) / 2;
  const raw = { from: dateTime(from.valueOf() - half), to: dateTime(to.valueOf() + half) };
  return { ...raw, raw };
}

export function TimeControls({ time, intervals = REFRESH_INTERVALS, refreshText = texts.time.refresh }: Props) {
  const { range, refresh, setRange, setRefresh, runNow } = time;
  const half = Math.round((range.to.valueOf() - range.from.valueOf()) / 2);
  return (
    <>
      <TimeRangePicker
        value={range}
        timeZone="browser"
        onChange={setRange}
        onChangeTimeZone={() => {}}
        onMoveBackward={() => setRange(moved(range, -half))}
        onMoveForward={() => setRange(moved(range, half))}
        onZoom={() => setRange(widened(range))}
      />
      <RefreshPicker
        intervals={intervals}
        value={refresh}
        text={refreshText}
        tooltip={texts.time.refreshEvery}
        onRefresh={runNow}
        onIntervalChanged={setRefresh}
      />
    </>
  );
}
