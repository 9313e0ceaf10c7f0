import { css } from '@emotion/css';
import type { GrafanaTheme2, IconName } from '@grafana/data';
import { Icon, useStyles2 } from '@grafana/ui';
import React from 'react';

import * as texts from '../texts';
import type { Notice, Severity } from '../types';

const ICONS: Record<Severity, IconName> = {
  info: 'info-circle',
  warning: 'exclamation-triangle',
  error: 'exclamation-circle',
};

export function severityIcon(severity: Severity): IconName {
  return ICONS[severity] ?? ICONS.info;
}

export function Notices({ notices }: { notices: Notice[] }) {
  const styles = useStyles2(getStyles);
  if (notices.length === 0) {
    return null;
  }
  return (
    <ul className={styles.notices} aria-live="polite">
      {notices.map(({ severity, text }, index) => (
        <li key={index} className={styles.notice}>
          <Icon name={severityIcon(severity)} className={styles[severity]} title={texts.compiled.severity[severity]} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  notices: css({
    listStyle: 'none',
    display: 'flex',
    flexDirection: 'column',
    gap: theme.spacing(0.5),
    margin: theme.spacing(0.5, 0),
    fontSize: theme.typography.bodySmall.fontSize,
  }),
  notice: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'flex-start' }),
  info: css({ color: theme.colors.info.text, flexShrink: 0 }),
  warning: css({ color: theme.colors.warning.text, flexShrink: 0 }),
  error: css({ color: theme.colors.error.text, flexShrink: 0 }),
});
