import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Alert, Button, Spinner, useStyles2 } from '@grafana/ui';
import React from 'react';

import { errorMessage, refusal } from '../../errors';
import type { Answer } from '../../hooks/useAnswer';
import * as texts from '../../texts';
import type { Discovery } from '../../types';
import { SystemsTable } from './SystemsTable';

/** A readable summary of what the server holds, or why nothing can be found. */
export function Found({ discovery }: { discovery: Answer<Discovery> }) {
  const styles = useStyles2(getStyles);
  const { answer, error, loading, again } = discovery;
  return (
    <div aria-busy={loading}>
      {error !== undefined && <Failure error={error} />}
      {answer?.systems.length === 0 && <Alert severity="warning" title={texts.found.empty} />}
      {answer && answer.systems.length > 0 && (
        <>
          <p>{texts.found.server(answer.server, answer.engines, answer.scrapeInterval)}</p>
          <SystemsTable systems={answer.systems} />
        </>
      )}
      <div className={styles.foot}>
        <Button type="button" size="sm" variant="secondary" icon="sync" disabled={loading} onClick={again}>
          {texts.found.refresh}
        </Button>
        {loading && <Spinner inline size="sm" aria-label={texts.found.loading} />}
      </div>
    </div>
  );
}

function Failure({ error }: { error: unknown }) {
  const said = refusal(error);
  return (
    <Alert severity="info" title={texts.found.failed}>
      {said ?? texts.found.unreachable(errorMessage(error))}
    </Alert>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  foot: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'center', marginTop: theme.spacing(1) }),
});
