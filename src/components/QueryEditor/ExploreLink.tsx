import { locationUtil, urlUtil, type TimeRange } from '@grafana/data';
import { getDataSourceSrv } from '@grafana/runtime';
import { Button, Dropdown, LinkButton, Menu } from '@grafana/ui';
import React from 'react';

import * as texts from '../../texts';

interface Props {
  promql: string[];
  range?: TimeRange;
}

const PROMETHEUS = 'prometheus';

/** The address of Explore with the PromQL as queries of a Prometheus data source. */
export function exploreUrl(uid: string, promql: string[], range?: TimeRange): string {
  const datasource = { type: PROMETHEUS, uid };
  const queries = promql.map((expr, index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    expr,
    range: true,
    editorMode: 'code',
  }));
  const raw = range?.raw ?? { from: 'now-1h', to: 'now' };
  const time = (at: typeof raw.from) => (typeof at === 'string' ? at : String(at.valueOf()));
  const panes = { pd: { datasource: uid, queries, range: { from: time(raw.from), to: time(raw.to) } } };
  return locationUtil.assureBaseUrl(urlUtil.renderUrl('/explore', { schemaVersion: 1, panes: JSON.stringify(panes) }));
}

/** Only where there is a Prometheus data source to open it with: ours runs this PromQL already. */
export function ExploreLink({ promql, range }: Props) {
  // Grafana adds its built-in data source to any list.
  const servers = getDataSourceSrv()
    .getList({ type: PROMETHEUS })
    .filter(({ type }) => type === PROMETHEUS);
  if (promql.length === 0 || servers.length === 0) {
    return null;
  }
  const common = { size: 'sm', variant: 'secondary', fill: 'text' } as const;
  if (servers.length === 1) {
    return (
      <LinkButton {...common} icon="compass" href={exploreUrl(servers[0].uid, promql, range)} target="_blank">
        {texts.compiled.explore}
      </LinkButton>
    );
  }
  const menu = (
    <Menu>
      {servers.map(({ uid, name }) => (
        <Menu.Item key={uid} label={name} url={exploreUrl(uid, promql, range)} target="_blank" />
      ))}
    </Menu>
  );
  return (
    <Dropdown overlay={menu} placement="bottom-end">
      <Button {...common} icon="compass">
        {texts.compiled.explore}
      </Button>
    </Dropdown>
  );
}
