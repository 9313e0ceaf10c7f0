import { css } from '@emotion/css';
import type { DataSourceSettings, GrafanaTheme2 } from '@grafana/data';
import { Alert, Button, LoadingPlaceholder, useStyles2 } from '@grafana/ui';
import { ConfigEditor } from 'plugin/components/ConfigEditor';
import type { DataSource } from 'plugin/datasource';
import { errorMessage } from 'plugin/errors';
import type { PDOptions, PDSecureOptions } from 'plugin/types';
import React, { useEffect, useRef, useState } from 'react';

import { PageLink } from '../PageLink';
import { backend } from '../runtime/backendSrv';
import { openDataSource } from '../runtime/start';
import * as texts from '../texts';

type Settings = DataSourceSettings<PDOptions, PDSecureOptions>;

interface Props {
  datasource: DataSource;
  onSaved: () => Promise<void>;
}

/** What "Save & test" found, as Grafana shows it. */
interface Tested {
  severity: 'success' | 'warning' | 'error';
  message: string;
  details?: string;
}

async function test(): Promise<Tested> {
  const datasource = await openDataSource();
  try {
    const { status, message, details } = await datasource.testDatasource();
    return { severity: status === 'warning' ? 'warning' : 'success', message, details: details?.message };
  } catch (error) {
    return failed(errorMessage(error));
  }
}

const failed = (message: string): Tested => ({ severity: 'error', message });

/** The plugin's settings page over settings that live as long as pdmonitor runs. */
export function SettingsPage({ datasource, onSaved }: Props) {
  const styles = useStyles2(getStyles);
  const address = `/api/datasources/uid/${datasource.uid}`;
  const [options, setOptions] = useState<Settings>();
  const [tested, setTested] = useState<Tested>();
  const [isTesting, setTesting] = useState(false);
  // Editors change settings in quick succession; the button takes the newest.
  const latest = useRef<Settings>(undefined);
  const change = (next: Settings) => {
    latest.current = next;
    setOptions(next);
  };

  useEffect(() => {
    backend
      .get<Settings>(address)
      .then(change, (error: unknown) => setTested(failed(`${texts.settings.loadFailed}: ${errorMessage(error)}`)));
  }, [address]);

  const saveAndTest = async () => {
    setTesting(true);
    setTested(undefined);
    try {
      const { datasource: saved } = await backend.put<{ datasource: Settings }>(address, latest.current);
      change(saved);
      setTested(await test());
      await onSaved();
    } catch (error) {
      setTested(failed(`${texts.settings.saveFailed}: ${errorMessage(error)}`));
    } finally {
      setTesting(false);
    }
  };

  return (
    <div className={styles.page}>
      <h1>{texts.settings.title}</h1>
      <p className={styles.hint}>{texts.settings.inMemory}</p>
      {!options && !tested && <LoadingPlaceholder text={texts.app.loading} />}
      {options && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void saveAndTest();
          }}
        >
          <ConfigEditor options={options} onOptionsChange={change} />
          <div className={styles.result} aria-live="polite">
            {tested && <Outcome tested={tested} />}
          </div>
          <Button type="submit" disabled={isTesting}>
            {isTesting ? texts.settings.saving : texts.settings.save}
          </Button>
        </form>
      )}
      {!options && tested && <Outcome tested={tested} />}
    </div>
  );
}

function Outcome({ tested: { severity, message, details } }: { tested: Tested }) {
  const styles = useStyles2(getStyles);
  return (
    <Alert severity={severity} title={message}>
      {details && <p className={styles.details}>{details}</p>}
      {severity !== 'error' && (
        <p>
          {texts.settings.next}
          <PageLink href="/">{texts.settings.nextDashboards}</PageLink>
          {texts.settings.nextOr}
          <PageLink href="/explore">{texts.settings.nextQuery}</PageLink>.
        </p>
      )}
    </Alert>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  page: css({ maxWidth: theme.breakpoints.values.lg, margin: '0 auto' }),
  hint: css({ color: theme.colors.text.secondary }),
  result: css({ marginTop: theme.spacing(3) }),
  details: css({ whiteSpace: 'pre-wrap' }),
});
