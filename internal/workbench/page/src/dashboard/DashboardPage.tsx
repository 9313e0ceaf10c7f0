import { locationService } from '@grafana/runtime';
import { Alert, LoadingPlaceholder } from '@grafana/ui';
import type { DataSource } from 'plugin/datasource';
import { errorMessage } from 'plugin/errors';
import React, { useEffect, useState } from 'react';

import { backend } from '../runtime/backendSrv';
import * as texts from '../texts';
import { DashboardView } from './DashboardView';
import type { Dashboard, DashboardHit } from './model';

interface Loaded {
  dashboards: DashboardHit[];
  dashboard: Dashboard;
}

async function load(uid: string | undefined): Promise<Loaded> {
  const dashboards = await backend.get<DashboardHit[]>('/api/search', { type: 'dash-db' });
  const wanted = uid ?? dashboards[0]?.uid;
  if (wanted === undefined) {
    throw new Error(texts.dashboard.none);
  }
  const { dashboard } = await backend.get<{ dashboard: Dashboard }>(
    `/api/dashboards/uid/${encodeURIComponent(wanted)}`
  );
  return { dashboards, dashboard };
}

/** The dashboard at an address, or the first one. */
export function DashboardPage({ uid, datasource }: { uid?: string; datasource: DataSource }) {
  const [state, setState] = useState<{ loaded?: Loaded; error?: string }>({});

  useEffect(() => {
    let isWanted = true;
    load(uid).then(
      (loaded) => isWanted && setState({ loaded }),
      (error: unknown) => isWanted && setState({ error: errorMessage(error) })
    );
    return () => {
      isWanted = false;
    };
  }, [uid]);

  const { loaded, error } = state;
  if (error !== undefined) {
    return (
      <Alert severity="error" title={texts.dashboard.loadFailed}>
        {error}
      </Alert>
    );
  }
  if (!loaded || (uid !== undefined && loaded.dashboard.uid !== uid)) {
    return <LoadingPlaceholder text={texts.app.loading} />;
  }
  return (
    <DashboardView
      key={loaded.dashboard.uid}
      dashboard={loaded.dashboard}
      dashboards={loaded.dashboards}
      datasource={datasource}
      onChoose={(chosen) => locationService.push(`/d/${encodeURIComponent(chosen)}${kept()}`)}
    />
  );
}

/** Another dashboard is opened at the same time, with the same selection. */
function kept(): string {
  const { search } = locationService.getLocation();
  return search;
}
