import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { EditorRow } from '@grafana/plugin-ui';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import type { DataSource } from '../datasource';
import { errorMessage } from '../errors';
import { useAnswer } from '../hooks/useAnswer';
import * as texts from '../texts';
import type { PDVariableQuery } from '../types';

interface Props {
  datasource: DataSource;
  query: PDVariableQuery;
}

const MOST = 20;
const PAUSE_MS = 300;

/** The values that the variable would have now, since what is wrong with a variable shows in its values. */
export function VariablePreview({ datasource, query }: Props) {
  const styles = useStyles2(getStyles);
  const { answer, error, loading } = useAnswer(
    JSON.stringify(query),
    () => datasource.metricFindQuery(query).then((found) => found.map(({ text }) => text)),
    PAUSE_MS
  );
  const more = (answer?.length ?? 0) - MOST;
  return (
    <EditorRow>
      <div className={styles.root} role="status" aria-busy={loading}>
        <strong>{texts.variable.preview}: </strong>
        {error !== undefined && `${texts.variable.previewFailed}: ${errorMessage(error)}`}
        {error === undefined && answer === undefined && texts.variable.previewLoading}
        {answer?.length === 0 && texts.variable.previewNone}
        {answer?.slice(0, MOST).join(', ')}
        {more > 0 && ` ${texts.variable.previewMore(more)}`}
      </div>
    </EditorRow>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  root: css({ fontSize: theme.typography.bodySmall.fontSize, overflowWrap: 'anywhere' }),
});
