import { css } from '@emotion/css';
import type { GrafanaTheme2, QueryEditorHelpProps } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import { EXAMPLES } from '../examples';
import { DEFAULT_QUERY } from '../migrate';
import * as texts from '../texts';
import type { PDQuery } from '../types';

export function QueryEditorHelp({ onClickExample }: QueryEditorHelpProps<PDQuery>) {
  const styles = useStyles2(getStyles);
  return (
    <div>
      <h2>{texts.help.title}</h2>
      <p>{texts.help.intro}</p>
      {Object.entries(texts.help.examples).map(([name, { title, text }]) => (
        <div key={name} className={styles.example}>
          <button
            type="button"
            className={styles.button}
            onClick={() => onClickExample({ ...DEFAULT_QUERY, ...EXAMPLES[name], refId: 'A' })}
          >
            {title}
          </button>
          <div className={styles.text}>{text}</div>
        </div>
      ))}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  example: css({ marginBottom: theme.spacing(1.5) }),
  button: css({
    background: 'none',
    border: 'none',
    padding: 0,
    color: theme.colors.text.link,
    fontWeight: theme.typography.fontWeightMedium,
    textAlign: 'left',
    '&:hover': { textDecoration: 'underline' },
  }),
  text: css({ color: theme.colors.text.secondary }),
});
