import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React, { type ReactNode } from 'react';

/**
 * The rows of an editor. Those of `@grafana/plugin-ui` are as wide as the widest control, which a narrow pane cuts off;
 * these are as wide as the pane, so that what is in them wraps.
 */
export function Rows({ children }: { children: ReactNode }) {
  const styles = useStyles2(getStyles);
  return <div className={styles.rows}>{children}</div>;
}

const getStyles = (theme: GrafanaTheme2) => ({
  rows: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(0.5), minWidth: 0, '> *': { minWidth: 0 } }),
});
