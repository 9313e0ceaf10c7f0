import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React, { type PropsWithChildren } from 'react';

/** A link within a text. Grafana's own needs its router; here followLink takes the click. */
export function PageLink({ href, children }: PropsWithChildren<{ href: string }>) {
  return (
    <a href={href} className={useStyles2(getStyle)}>
      {children}
    </a>
  );
}

const getStyle = (theme: GrafanaTheme2) => css({ color: theme.colors.text.link, textDecoration: 'underline' });
