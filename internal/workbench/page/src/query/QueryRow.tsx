import { css } from '@emotion/css';
import { CoreApp, LoadingState, type GrafanaTheme2, type PanelData, type TimeRange } from '@grafana/data';
import { ErrorBoundaryAlert, IconButton, useStyles2 } from '@grafana/ui';
import { QueryEditor } from 'plugin/components/QueryEditor/QueryEditor';
import type { DataSource } from 'plugin/datasource';
import type { PDQuery } from 'plugin/types';
import React, { useMemo } from 'react';

import * as texts from '../texts';
import type { Result } from './run';

interface Props {
  datasource: DataSource;
  query: PDQuery;
  queries: PDQuery[];
  range: TimeRange;
  result?: Result;
  onChange: (query: PDQuery) => void;
  onRunQuery: () => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

/** The plugin's query editor in a row as Grafana's Explore has one. */
export function QueryRow({
  datasource,
  query,
  queries,
  range,
  result,
  onChange,
  onRunQuery,
  onDuplicate,
  onRemove,
}: Props) {
  const styles = useStyles2(getStyles);
  const { refId, hide } = query;
  const data = useMemo((): PanelData | undefined => {
    if (!result) {
      return undefined;
    }
    const series = result.frames.filter((frame) => frame.refId === refId);
    return { state: LoadingState.Done, series, timeRange: result.range, request: result.request };
  }, [result, refId]);
  return (
    <section className={styles.row} aria-label={texts.query.row(refId)}>
      <div className={styles.head}>
        <h2 className={styles.refId}>{refId}</h2>
        <IconButton
          name={hide ? 'eye-slash' : 'eye'}
          tooltip={hide ? texts.query.show(refId) : texts.query.hide(refId)}
          onClick={() => {
            onChange({ ...query, hide: !hide });
            onRunQuery();
          }}
        />
        <IconButton name="copy" tooltip={texts.query.duplicate(refId)} onClick={onDuplicate} />
        {queries.length > 1 && <IconButton name="trash-alt" tooltip={texts.query.remove(refId)} onClick={onRemove} />}
      </div>
      <ErrorBoundaryAlert title={texts.app.crashed}>
        <QueryEditor
          app={CoreApp.Explore}
          datasource={datasource}
          query={query}
          queries={queries}
          range={range}
          data={data}
          onChange={onChange}
          onRunQuery={onRunQuery}
        />
      </ErrorBoundaryAlert>
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  row: css({
    marginBottom: theme.spacing(1),
    padding: theme.spacing(1),
    background: theme.colors.background.primary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
  }),
  head: css({ display: 'flex', alignItems: 'center', gap: theme.spacing(0.5), marginBottom: theme.spacing(1) }),
  refId: css({
    flexGrow: 1,
    margin: 0,
    fontSize: theme.typography.body.fontSize,
    fontFamily: theme.typography.fontFamilyMonospace,
    color: theme.colors.primary.text,
  }),
});
