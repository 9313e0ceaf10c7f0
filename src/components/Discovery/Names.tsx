import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import * as texts from '../../texts';

const MOST = 5;

/** The first names of many. */
export function Names({ names, count }: { names: string[]; count: number }) {
  const styles = useStyles2(getStyles);
  const shown = names.slice(0, MOST);
  const more = count - shown.length;
  return (
    <span className={styles.names}>
      {[shown.join(', '), more > 0 && texts.found.more(more)].filter(Boolean).join(' ')}
    </span>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  names: css({
    color: theme.colors.text.secondary,
    fontSize: theme.typography.bodySmall.fontSize,
    overflowWrap: 'anywhere',
  }),
});
