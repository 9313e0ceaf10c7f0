import { css } from '@emotion/css';
import { ThemeContext, type GrafanaTheme2 } from '@grafana/data';
import { config, LocationServiceProvider, locationService } from '@grafana/runtime';
import {
  Alert,
  ErrorBoundaryAlert,
  GlobalStyles,
  LoadingPlaceholder,
  PortalContainer,
  Tab,
  TabsBar,
  useStyles2,
} from '@grafana/ui';
import { DataSource } from 'plugin/datasource';
import { errorMessage } from 'plugin/errors';
import pluginJson from 'plugin/plugin.json';
import React, { useCallback, useEffect, useState } from 'react';

import { DashboardPage } from './dashboard/DashboardPage';
import { LanguageButton } from './LanguageButton';
import { followLink, useLocation } from './location';
import { PageLink } from './PageLink';
import { PluginPage } from './PluginPage';
import { QueryPage } from './query/QueryPage';
import { openDataSource } from './runtime/start';
import { SettingsPage } from './settings/SettingsPage';
import * as texts from './texts';
import { ThemeButton } from './ThemeButton';

export function App() {
  return (
    <ThemeContext.Provider value={config.theme2}>
      <GlobalStyles />
      <LocationServiceProvider service={locationService}>
        <Workbench />
        <PortalContainer />
      </LocationServiceProvider>
    </ThemeContext.Provider>
  );
}

/** The plugin's own links lead to where Grafana has its settings. */
const SETTINGS = /^\/(settings|connections\/datasources\/edit\/[^/]+)$/;

/** And to what Grafana shows of the plugin itself. */
const PLUGIN = `/plugins/${pluginJson.id}`;

const TABS = [
  { path: '/', label: texts.app.tabs.dashboards, icon: 'apps', matches: /^\/(d\/.*)?$/ },
  { path: '/explore', label: texts.app.tabs.query, icon: 'compass', matches: /^\/explore$/ },
  { path: '/settings', label: texts.app.tabs.settings, icon: 'cog', matches: SETTINGS },
] as const;

function Workbench() {
  const styles = useStyles2(getStyles);
  const { pathname } = useLocation();
  const [opened, setOpened] = useState<{ datasource?: DataSource; error?: string }>({});
  const open = useCallback(
    () =>
      openDataSource().then(
        (datasource) => setOpened({ datasource }),
        (error: unknown) => setOpened({ error: errorMessage(error) })
      ),
    []
  );
  useEffect(() => {
    open();
  }, [open]);

  const { datasource, error } = opened;
  return (
    // Links of dashboards and of the plugin are ordinary links; those that stay here need no reload of the page.
    <div className={styles.page} onClick={followLink}>
      <header className={styles.header}>
        <a className={styles.skip} href="#content">
          {texts.app.skip}
        </a>
        <a className={styles.brand} href="/">
          <img src="/public/build/img/logo.svg" alt="" width={24} height={24} />
          <span>{texts.app.title}</span>
          <span className={styles.kind}>{texts.app.workbench}</span>
        </a>
        <TabsBar className={styles.tabs} hideBorder>
          {TABS.map(({ path, label, icon, matches }) => (
            <Tab key={path} label={label} icon={icon} href={path} active={matches.test(pathname)} />
          ))}
        </TabsBar>
        <LanguageButton />
        <ThemeButton />
      </header>
      <main id="content" tabIndex={-1} className={styles.main}>
        {error !== undefined && (
          <Alert severity="error" title={texts.app.startFailed}>
            {error}
          </Alert>
        )}
        {datasource === undefined && error === undefined && <LoadingPlaceholder text={texts.app.loading} />}
        {datasource && (
          // A part that crashed works again after a change of tab.
          <ErrorBoundaryAlert key={pathname} title={texts.app.crashed}>
            <Page pathname={pathname} datasource={datasource} onSettingsChange={open} />
          </ErrorBoundaryAlert>
        )}
      </main>
    </div>
  );
}

interface PageProps {
  pathname: string;
  datasource: DataSource;
  onSettingsChange: () => Promise<void>;
}

function Page({ pathname, datasource, onSettingsChange }: PageProps) {
  const board = /^\/d\/([^/]+)/.exec(pathname);
  if (pathname === '/' || board) {
    return <DashboardPage uid={board ? decodeURIComponent(board[1]) : undefined} datasource={datasource} />;
  }
  if (pathname === '/explore') {
    return <QueryPage datasource={datasource} />;
  }
  if (SETTINGS.test(pathname)) {
    return <SettingsPage datasource={datasource} onSaved={onSettingsChange} />;
  }
  if (pathname === PLUGIN) {
    return <PluginPage />;
  }
  return (
    <p>
      {texts.app.lost} <PageLink href="/">{texts.app.toOverview}</PageLink>
    </p>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  page: css({
    minHeight: '100vh',
    display: 'flex',
    flexDirection: 'column',
    background: theme.colors.background.canvas,
  }),
  header: css({
    position: 'sticky',
    top: 0,
    zIndex: theme.zIndex.navbarFixed,
    display: 'flex',
    alignItems: 'center',
    gap: theme.spacing(3),
    padding: theme.spacing(0, 2),
    background: theme.colors.background.primary,
    borderBottom: `1px solid ${theme.colors.border.weak}`,
  }),
  // Seen by those who reach it with the keyboard.
  skip: css({
    position: 'absolute',
    left: -9999,
    '&:focus': { left: theme.spacing(1), padding: theme.spacing(1), background: theme.colors.background.elevated },
  }),
  brand: css({
    display: 'flex',
    alignItems: 'center',
    gap: theme.spacing(1),
    fontWeight: theme.typography.fontWeightMedium,
    whiteSpace: 'nowrap',
  }),
  kind: css({ color: theme.colors.text.secondary, fontWeight: theme.typography.fontWeightRegular }),
  tabs: css({ flexGrow: 1 }),
  main: css({ flexGrow: 1, padding: theme.spacing(2), minWidth: 0, '&:focus': { outline: 'none' } }),
});
