import { css } from '@emotion/css';
import { DashboardCursorSync, EventBusSrv, type GrafanaTheme2 } from '@grafana/data';
import {
  Combobox,
  LinkButton,
  LoadingPlaceholder,
  PanelContextProvider,
  useStyles2,
  type PanelContext,
} from '@grafana/ui';
import type { DataSource } from 'plugin/datasource';
import { errorMessage } from 'plugin/errors';
import React, { useEffect, useMemo, useState } from 'react';

import { useLocation } from '../location';
import * as texts from '../texts';
import { TimeControls } from '../time/TimeControls';
import { stringify, useTimeRange } from '../time/useTimeRange';
import { sections } from './layout';
import { resolveLinks } from './links';
import type { Dashboard, DashboardHit } from './model';
import { SectionView } from './SectionView';
import { VariableBar } from './VariableBar';
import { loadVariables, selectionOf, selectionParams, valuesOf, type Variable } from './variables';

interface Props {
  dashboard: Dashboard;
  dashboards: DashboardHit[];
  datasource: DataSource;
  onChoose: (uid: string) => void;
}

/** All panels move their crosshair together. */
const CONTEXT: PanelContext = {
  eventsScope: 'dashboard',
  eventBus: new EventBusSrv(),
  sync: () => DashboardCursorSync.Crosshair,
};

export function DashboardView({ dashboard, dashboards, datasource, onChoose }: Props) {
  const styles = useStyles2(getStyles);
  const time = useTimeRange({
    from: dashboard.time?.from ?? 'now-5m',
    to: dashboard.time?.to ?? 'now',
    refresh: dashboard.refresh || '',
  });
  const variables = useVariables(dashboard, datasource);
  const selection = variables ? selectionParams(variables).toString() : '';

  const placed = useMemo(
    () => variables && sections(dashboard.panels ?? [], (name) => valuesOf(variables, name)),
    [dashboard, variables]
  );
  const { raw } = time.range;
  const links = {
    dashboards,
    time: new URLSearchParams({ from: stringify(raw.from), to: stringify(raw.to), refresh: time.refresh }),
    variables: new URLSearchParams(selection),
  };

  return (
    <>
      <div className={styles.toolbar}>
        <Combobox
          id="dashboard"
          aria-label={texts.dashboard.choose}
          width="auto"
          minWidth={24}
          options={dashboards.map(({ uid, title }) => ({ value: uid, label: title }))}
          value={dashboard.uid}
          onChange={({ value }) => onChoose(value)}
        />
        {resolveLinks(dashboard.links, links).map(({ title, href, isExternal }) => (
          <LinkButton
            key={href}
            size="sm"
            variant="secondary"
            fill="text"
            icon={isExternal ? 'external-link-alt' : 'apps'}
            href={href}
            target={isExternal ? '_blank' : undefined}
          >
            {title}
          </LinkButton>
        ))}
        <div className={styles.time}>
          <TimeControls time={time} intervals={dashboard.timepicker?.refresh_intervals} />
        </div>
      </div>
      <h1 className="sr-only">{dashboard.title}</h1>
      {variables ? <VariableBar variables={variables} /> : <LoadingPlaceholder text={texts.app.loading} />}
      <PanelContextProvider value={CONTEXT}>
        {placed?.map((section) => (
          <SectionView
            key={section.key}
            section={section}
            datasource={datasource}
            range={time.range}
            selection={selection}
            linksOf={(panel) => resolveLinks(panel.links, links)}
            onSelectRange={time.zoom}
          />
        ))}
      </PanelContextProvider>
    </>
  );
}

/** The variables with what is selected of them; undefined until they are known. */
function useVariables(dashboard: Dashboard, datasource: DataSource): Variable[] | undefined {
  const { search } = useLocation();
  const selected = JSON.stringify(selectionOf(search));
  const [variables, setVariables] = useState<Variable[]>();
  useEffect(() => {
    let isWanted = true;
    loadVariables(dashboard.templating?.list ?? [], datasource, JSON.parse(selected), errorMessage).then(
      (loaded) => isWanted && setVariables(loaded)
    );
    return () => {
      isWanted = false;
    };
  }, [dashboard, datasource, selected]);
  return variables;
}

const getStyles = (theme: GrafanaTheme2) => ({
  toolbar: css({
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: theme.spacing(1),
    marginBottom: theme.spacing(1),
  }),
  time: css({ display: 'flex', gap: theme.spacing(1), marginLeft: 'auto' }),
});
