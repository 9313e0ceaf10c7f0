import { css } from '@emotion/css';
import { LoadingState, type DataFrame, type FieldConfigSource, type GrafanaTheme2, type IconName } from '@grafana/data';
import { Icon, PanelChrome, RadioButtonGroup, useStyles2 } from '@grafana/ui';
import React, { useEffect, useMemo, useState } from 'react';

import { configured } from '../panels/fieldConfig';
import { HeatmapPanel } from '../panels/HeatmapPanel';
import { TablePanel } from '../panels/TablePanel';
import { TimeSeriesPanel } from '../panels/TimeSeriesPanel';
import { transformed } from '../panels/transform';
import * as texts from '../texts';
import { Empty } from './Empty';
import type { Result } from './run';

interface Props {
  result?: Result;
  isLoading: boolean;
  width: number;
  onSelectRange: (from: number, to: number) => void;
}

type Shape = 'graph' | 'table';

const SHAPES = [
  { value: 'graph' as const, label: texts.query.graph, icon: 'graph-bar' },
  { value: 'table' as const, label: texts.query.table, icon: 'table' },
];

const HEIGHT = 420;
const FIELDS: FieldConfigSource = {
  defaults: {
    custom: { lineWidth: 1.5, fillOpacity: 0, showPoints: 'auto' },
  },
  overrides: [],
};

/** What the queries brought: a graph or a table, what is to be said about it, and the PromQL that ran. */
export function Answer({ result, isLoading, width, onSelectRange }: Props) {
  const [chosen, setChosen] = useState<Shape>();
  const frames = useMemo(() => configured(result?.frames ?? [], 'timeseries', FIELDS), [result]);
  // A query for a table has one row for each series, of which there is no graph.
  const prefersTable = frames.length > 0 && frames.every(({ meta }) => meta?.preferredVisualisationType === 'table');
  const isHeatmap = frames.length > 0 && frames.every(({ meta }) => meta?.preferredVisualisationPluginId === 'heatmap');
  const shape = chosen ?? (prefersTable ? 'table' : 'graph');
  const isEmpty = !frames.some(({ fields }) => fields.some(({ values }) => values.length > 0));

  return (
    <>
      <PanelChrome
        width={width}
        height={HEIGHT}
        title={texts.query.result}
        loadingState={isLoading && !result ? LoadingState.Loading : LoadingState.Done}
        actions={
          <RadioButtonGroup
            size="sm"
            aria-label={texts.query.showAs}
            options={SHAPES}
            value={shape}
            onChange={setChosen}
          />
        }
      >
        {(innerWidth, innerHeight) => {
          if (!result || isEmpty) {
            return <Empty noData={result ? texts.panel.noData : texts.query.nothing} notice={result?.notices[0]} />;
          }
          const common = { fieldConfig: FIELDS, range: result.range, width: innerWidth, height: innerHeight };
          if (shape === 'table') {
            return <ResultTable {...common} frames={result.frames} />;
          }
          return isHeatmap ? (
            <HeatmapPanel {...common} frames={frames} options={{}} />
          ) : (
            <TimeSeriesPanel {...common} frames={frames} options={OPTIONS} onSelectRange={onSelectRange} />
          );
        }}
      </PanelChrome>
      {result && <Notices result={result} />}
      {result && <Executed frames={result.frames} />}
    </>
  );
}

const OPTIONS = { legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'mean', 'max'] } };

interface TableProps {
  frames: DataFrame[];
  width: number;
  height: number;
}

function ResultTable({
  frames,
  ...rest
}: TableProps & Pick<Parameters<typeof TablePanel>[0], 'fieldConfig' | 'range'>) {
  const [merged, setMerged] = useState<DataFrame[]>([]);
  useEffect(() => {
    const subscription = transformed(frames, 'table').subscribe((next) => setMerged(configured(next, 'table', FIELDS)));
    return () => subscription.unsubscribe();
  }, [frames]);
  return merged.length > 0 ? <TablePanel {...rest} frames={merged} options={{}} /> : null;
}

const ICONS: Record<string, IconName> = {
  info: 'info-circle',
  warning: 'exclamation-triangle',
  error: 'exclamation-circle',
};

function Notices({ result: { notices } }: { result: Result }) {
  const styles = useStyles2(getStyles);
  if (notices.length === 0) {
    return null;
  }
  return (
    <section className={styles.part} aria-label={texts.query.notices}>
      <h2 className={styles.heading}>{texts.query.notices}</h2>
      <ul className={styles.notices}>
        {notices.map(({ severity, text }) => (
          <li key={text}>
            <Icon name={ICONS[severity]} className={styles[severity]} title={texts.severities[severity]} /> {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Executed({ frames }: { frames: DataFrame[] }) {
  const styles = useStyles2(getStyles);
  const executed = [...new Set(frames.flatMap(({ meta }) => meta?.executedQueryString ?? []))];
  if (executed.length === 0) {
    return null;
  }
  return (
    <section className={styles.part} aria-label={texts.query.executed}>
      <h2 className={styles.heading}>{texts.query.executed}</h2>
      {executed.map((text) => (
        <pre key={text} className={styles.code}>
          {text}
        </pre>
      ))}
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  part: css({ marginTop: theme.spacing(2) }),
  heading: css({ fontSize: theme.typography.h6.fontSize, margin: theme.spacing(0, 0, 1) }),
  notices: css({ listStyle: 'none', display: 'flex', flexDirection: 'column', gap: theme.spacing(0.5) }),
  code: css({ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: theme.typography.bodySmall.fontSize }),
  info: css({ color: theme.colors.info.text }),
  warning: css({ color: theme.colors.warning.text }),
  error: css({ color: theme.colors.error.text }),
});
