import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React, { Fragment, useMemo } from 'react';

import { tokensOf } from './highlight';

/** PromQL for reading, in colours. */
export function Promql({ expression }: { expression: string }) {
  const styles = useStyles2(getStyles);
  const tokens = useMemo(() => tokensOf(expression), [expression]);
  return (
    <pre className={styles.code}>
      {tokens.map(({ kind, text }, index) => (
        <span key={index} className={kind === 'text' ? undefined : styles[kind]}>
          {breakable(text)}
        </span>
      ))}
    </pre>
  );
}

/** PromQL has long stretches without a space: lines end behind a bracket or a comma, not inside a name. */
function breakable(text: string) {
  return text.split(/(?<=[({,])/).map((piece, index) => (
    <Fragment key={index}>
      {piece}
      {/[({,]$/.test(piece) && <wbr />}
    </Fragment>
  ));
}

/** The theme's colours for text, which have the contrast that reading needs in light and in dark. */
const getStyles = (theme: GrafanaTheme2) => ({
  code: css({
    flexGrow: 1,
    minWidth: 0,
    margin: 0,
    whiteSpace: 'pre-wrap',
    wordBreak: 'normal',
    overflowWrap: 'anywhere',
    fontSize: theme.typography.bodySmall.fontSize,
    color: theme.colors.text.primary,
    background: theme.colors.background.primary,
  }),
  keyword: css({ color: theme.colors.info.text }),
  function: css({ color: theme.colors.info.text }),
  metric: css({ fontWeight: theme.typography.fontWeightMedium }),
  label: css({ color: theme.colors.success.text }),
  string: css({ color: theme.colors.warning.text }),
  range: css({ color: theme.colors.error.text }),
  number: css({ color: theme.colors.error.text }),
  comment: css({ color: theme.colors.text.secondary, fontStyle: 'italic' }),
});
