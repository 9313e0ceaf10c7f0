import { css } from '@emotion/css';
import {
  CoreApp,
  LoadingState,
  renderMarkdown,
  type DataFrame,
  type GrafanaTheme2,
  type ScopedVars,
  type TimeRange,
} from '@grafana/data';
import { ErrorBoundaryAlert, Icon, PanelChrome, Tooltip, useStyles2 } from '@grafana/ui';
import type { DataSource } from 'plugin/datasource';
import React, { memo, useEffect, useMemo, useState } from 'react';

import { configured } from '../panels/fieldConfig';
import { TextPanel } from '../panels/TextPanel';
import { transformed } from '../panels/transform';
import { visualizations } from '../panels/visualizations';
import { Empty } from '../query/Empty';
import type { Result } from '../query/run';
import { useQuery } from '../query/useQuery';
import { templates } from '../runtime/templates';
import * as texts from '../texts';
import type { Link } from './links';
import type { Panel } from './model';
import { useSeen } from './useSeen';
import { useSize } from './useSize';

interface Props {
  datasource: DataSource;
  panel: Panel;
  range: TimeRange;
  scopedVars: ScopedVars;
  links: Link[];
  /** Changes when the selection of variables does. */
  selection: string;
  onSelectRange: (from: number, to: number) => void;
}

/** One panel of a dashboard with its heading, what is to be said about its data, and the data. */
export function PanelView({ datasource, panel, range, scopedVars, links, selection, onSelectRange }: Props) {
  const styles = useStyles2(getStyles);
  const [seenRef, isSeen] = useSeen();
  const [sizeRef, { width, height }] = useSize();

  // The selection is not in the targets, but what they mean depends on it.
  const scope = useMemo(
    () => ({ ...scopedVars, __selection: { text: '', value: selection } }),
    [scopedVars, selection]
  );
  const isAsked = isSeen && width > 0 && panel.type !== 'text';
  const { result, isLoading } = useQuery(
    datasource,
    isAsked
      ? {
          app: CoreApp.Dashboard,
          targets: panel.targets ?? [],
          range,
          maxDataPoints: panel.maxDataPoints ?? width,
          minInterval: panel.interval,
          scopedVars: scope,
        }
      : undefined
  );
  const drawn = useDrawn(panel, result, scopedVars);
  const title = templates.replace(panel.title ?? '', scopedVars, 'text');
  const description = panel.description && renderMarkdown(templates.replace(panel.description, scopedVars, 'text'));
  const notices = result?.notices ?? [];

  return (
    <div
      className={styles.place}
      ref={(element) => {
        seenRef(element);
        sizeRef(element);
      }}
    >
      {width > 0 && (
        <PanelChrome
          width={width}
          height={height}
          title={title}
          description={description}
          displayMode={panel.transparent ? 'transparent' : 'default'}
          loadingState={isLoading && !result ? LoadingState.Loading : LoadingState.Done}
          statusItems={notices.filter(({ severity }) => severity !== 'info')}
          titleItems={<TitleItems notices={notices} links={links} />}
        >
          {(innerWidth, innerHeight) => (
            <ErrorBoundaryAlert key={selection} title={texts.app.crashed} style="alertbox">
              {panel.type === 'text' ? (
                <TextPanel options={panel.options ?? {}} />
              ) : (
                <Body
                  panel={panel}
                  drawn={drawn}
                  width={innerWidth}
                  height={innerHeight}
                  onSelectRange={onSelectRange}
                />
              )}
            </ErrorBoundaryAlert>
          )}
        </PanelChrome>
      )}
    </div>
  );
}

/** A result with its frames as they are drawn. */
interface Drawn {
  result: Result;
  frames: DataFrame[];
}

/** The result after the panel's transformations and field configuration. */
function useDrawn(panel: Panel, result: Result | undefined, scopedVars: ScopedVars): Drawn | undefined {
  const [drawn, setDrawn] = useState<Drawn>();
  useEffect(() => {
    if (result === undefined) {
      return;
    }
    const subscription = transformed(result.frames, panel.type, panel.transformations).subscribe((next) =>
      setDrawn({ result, frames: configured(next, panel.type, panel.fieldConfig, scopedVars) })
    );
    return () => subscription.unsubscribe();
  }, [panel, result, scopedVars]);
  return drawn;
}

interface BodyProps {
  panel: Panel;
  drawn?: Drawn;
  width: number;
  height: number;
  onSelectRange: (from: number, to: number) => void;
}

/** Drawn anew with a new answer, and not with each refresh of the page around it: charts are what costs time. */
const Body = memo(function Body({ panel, drawn, width, height, onSelectRange }: BodyProps) {
  const Visualization = visualizations[panel.type];
  if (!Visualization) {
    return <Empty noData={texts.panel.unsupported(panel.type)} />;
  }
  if (!drawn) {
    return null;
  }
  const { result, frames } = drawn;
  if (!frames.some(({ fields }) => fields.some(({ values }) => values.length > 0))) {
    const noData = panel.fieldConfig?.defaults.noValue || texts.panel.noData;
    return <Empty notice={result.notices[0]} noData={noData} />;
  }
  return (
    <Visualization
      frames={frames}
      fieldConfig={panel.fieldConfig ?? { defaults: {}, overrides: [] }}
      options={panel.options ?? {}}
      range={result.range}
      width={width}
      height={height}
      onSelectRange={onSelectRange}
    />
  );
});

function TitleItems({ notices, links }: { notices: Result['notices']; links: Link[] }) {
  const styles = useStyles2(getStyles);
  const notes = notices.filter(({ severity }) => severity === 'info');
  return (
    <>
      {notes.length > 0 && (
        <Tooltip
          interactive
          content={
            <ul className={styles.notes}>
              {notes.map(({ text }) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          }
        >
          <button type="button" className={styles.note} aria-label={texts.query.notices}>
            <Icon name="document-info" />
          </button>
        </Tooltip>
      )}
      {links.map(({ title, href, isExternal }) => (
        <a
          key={href}
          className={styles.note}
          href={href}
          title={title}
          aria-label={title}
          target={isExternal ? '_blank' : undefined}
          rel="noreferrer"
        >
          <Icon name={isExternal ? 'external-link-alt' : 'link'} />
        </a>
      ))}
    </>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  place: css({ width: '100%', height: '100%', minWidth: 0 }),
  notes: css({ margin: theme.spacing(0, 0, 0, 2) }),
  note: css({
    display: 'inline-flex',
    alignItems: 'center',
    padding: theme.spacing(0, 0.5),
    border: 'none',
    background: 'none',
    color: theme.colors.text.secondary,
    '&:hover': { color: theme.colors.text.primary },
  }),
});
