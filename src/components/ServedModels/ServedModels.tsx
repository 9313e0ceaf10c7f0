import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Alert, Button, Spinner, useStyles2 } from '@grafana/ui';
import React from 'react';

import { errorMessage, refusal } from '../../errors';
import { useAnswer } from '../../hooks/useAnswer';
import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import type { RequestSize } from '../../types';
import { Notices } from '../Notices';
import { ServedModelsTable } from './ServedModelsTable';

interface Props {
  disabled: boolean;
  source: SavedSource;
  /** The entries as they stand on the page. */
  sizes: RequestSize[];
  /** Puts an entry in, in place of the one of the same model. */
  onEntry: (size: RequestSize) => void;
}

/** What the server serves and moves, and a short way from there to an entry. */
export function ServedModels({ disabled, source, sizes, onEntry }: Props) {
  const styles = useStyles2(getStyles);
  const { answer, error, loading, again } = useAnswer(source.hasURL ? source.key : '', (signal) =>
    source.requestSizes(signal)
  );
  if (!source.hasURL) {
    return <p>{texts.served.noURL}</p>;
  }
  return (
    <div aria-busy={loading} className={styles.section}>
      <div className={styles.head}>
        <h4 className={styles.title}>{texts.served.title}</h4>
        <Button type="button" size="sm" variant="secondary" icon="sync" disabled={loading} onClick={again}>
          {texts.served.refresh}
        </Button>
        {loading && <Spinner inline size="sm" aria-label={texts.served.loading} />}
      </div>
      <p className={styles.note}>{texts.served.help}</p>
      {error !== undefined && <Failure error={error} />}
      {answer?.models.length === 0 && <p>{texts.served.empty}</p>}
      {answer && answer.models.length > 0 && (
        <ServedModelsTable disabled={disabled} models={answer.models} sizes={sizes} onEntry={onEntry} />
      )}
      {answer?.models.some(({ measured }) => measured) && <p className={styles.note}>{texts.served.freezing}</p>}
      <Notices notices={answer?.notices ?? []} />
    </div>
  );
}

function Failure({ error }: { error: unknown }) {
  const said = refusal(error);
  return said === undefined ? (
    <Alert severity="info" title={texts.served.unreachable(errorMessage(error))} />
  ) : (
    <Alert severity="warning" title={texts.served.failed}>
      {said}
    </Alert>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  section: css({ marginBottom: theme.spacing(3) }),
  head: css({ display: 'flex', gap: theme.spacing(2), alignItems: 'center' }),
  title: css({ margin: 0, fontSize: theme.typography.h5.fontSize }),
  note: css({ color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
});
