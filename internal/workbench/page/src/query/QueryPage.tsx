import { css } from '@emotion/css';
import { CoreApp, type GrafanaTheme2 } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { Button, Drawer, useStyles2 } from '@grafana/ui';
import { QueryEditorHelp } from 'plugin/components/QueryEditorHelp';
import type { DataSource } from 'plugin/datasource';
import { migrateQuery } from 'plugin/migrate';
import type { PDQuery } from 'plugin/types';
import React, { useRef, useState } from 'react';

import { useSize } from '../dashboard/useSize';
import * as texts from '../texts';
import { TimeControls } from '../time/TimeControls';
import { useTimeRange } from '../time/useTimeRange';
import { Answer } from './Answer';
import { nextRefId, readQueries, writeQueries } from './queries';
import { QueryRow } from './QueryRow';
import { useQuery } from './useQuery';

/** What Grafana's Explore is for: queries, their graph or table, and what is to be said about them. */
export function QueryPage({ datasource }: { datasource: DataSource }) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({ from: 'now-5m', to: 'now', refresh: '' });
  const [resultRef, { width }] = useSize();
  const [isHelping, setHelping] = useState(false);

  const [queries, setQueries] = useState(() => readQueries(datasource));
  // Editors change a query and run it in one go, before this component is drawn again.
  const latest = useRef(queries);
  const [asked, setAsked] = useState(queries);
  const change = (next: PDQuery[]) => {
    latest.current = next;
    setQueries(next);
    locationService.partial({ queries: writeQueries(next) }, true);
  };
  const replace = (refId: string, query: PDQuery) =>
    change(latest.current.map((old) => (old.refId === refId ? { ...query, refId } : old)));
  const run = () => {
    setAsked(latest.current);
    time.runNow();
  };

  const { result, isLoading } = useQuery(
    datasource,
    width > 0 ? { app: CoreApp.Explore, targets: asked, range: time.range, maxDataPoints: width } : undefined
  );

  return (
    <>
      <div className={styles.toolbar}>
        <h1 className={styles.title}>{texts.query.title}</h1>
        <Button variant="secondary" icon="question-circle" onClick={() => setHelping(true)}>
          {texts.query.examples}
        </Button>
        <div className={styles.time}>
          <TimeControls time={{ ...time, runNow: run }} refreshText={texts.query.run} />
        </div>
      </div>

      {queries.map((query) => (
        <QueryRow
          key={query.refId}
          datasource={datasource}
          query={query}
          queries={queries}
          range={time.range}
          result={result}
          onChange={(next) => replace(query.refId, next)}
          onRunQuery={run}
          onDuplicate={() => {
            change([...latest.current, { ...query, refId: nextRefId(latest.current) }]);
            run();
          }}
          onRemove={() => {
            change(latest.current.filter(({ refId }) => refId !== query.refId));
            run();
          }}
        />
      ))}
      <Button
        variant="secondary"
        icon="plus"
        className={styles.add}
        onClick={() =>
          change([
            ...latest.current,
            migrateQuery({ ...datasource.getDefaultQuery(CoreApp.Explore), refId: nextRefId(latest.current) }),
          ])
        }
      >
        {texts.query.add}
      </Button>

      <div ref={resultRef}>
        {width > 0 && <Answer result={result} isLoading={isLoading} width={width} onSelectRange={time.zoom} />}
      </div>

      {isHelping && (
        <Drawer title={texts.query.examples} size="md" onClose={() => setHelping(false)}>
          <QueryEditorHelp
            datasource={datasource}
            query={queries[0]}
            onClickExample={(query) => {
              replace(queries[0].refId, migrateQuery(query));
              run();
              setHelping(false);
            }}
          />
        </Drawer>
      )}
    </>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  toolbar: css({
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: theme.spacing(1),
    marginBottom: theme.spacing(1),
  }),
  title: css({ fontSize: theme.typography.h4.fontSize, margin: theme.spacing(0, 2, 0, 0) }),
  time: css({ display: 'flex', gap: theme.spacing(1), marginLeft: 'auto' }),
  add: css({ marginBottom: theme.spacing(2) }),
});
