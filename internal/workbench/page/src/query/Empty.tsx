import { css } from '@emotion/css';
import type { GrafanaTheme2, QueryResultMetaNotice } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import * as texts from '../texts';

interface Props {
  /** What is said where nothing failed. */
  noData: string;
  /** The first thing to be said about the answer. */
  notice?: QueryResultMetaNotice;
}

/** In place of a graph: why there is none. */
export function Empty({ noData, notice }: Props) {
  const styles = useStyles2(getStyles);
  return (
    // In a low panel a long reason is scrolled, by the keyboard too.
    <div role="note" tabIndex={0} className={styles.empty}>
      <strong>{notice?.severity === 'error' ? texts.panel.failed : noData}</strong>
      {notice && <span>{notice.text}</span>}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  empty: css({
    height: '100%',
    display: 'flex',
    flexDirection: 'column',
    alignItems: 'center',
    justifyContent: 'center',
    gap: theme.spacing(1),
    padding: theme.spacing(1, 3),
    overflow: 'auto',
    textAlign: 'center',
    color: theme.colors.text.secondary,
  }),
});
