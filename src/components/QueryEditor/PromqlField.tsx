import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { TextArea, useStyles2 } from '@grafana/ui';
import React from 'react';

import { useDraft } from '../../hooks/useDraft';
import * as texts from '../../texts';

interface Props {
  id: string;
  value: string;
  /** The signal that the text was made from, where nobody has changed it. */
  madeFrom?: string;
  /** How many expressions that signal takes. */
  expressions: number;
  onCommit: (expr: string) => void;
}

/** A plain text area: the code editor of Grafana would add megabytes and a worker for a mode that few need. */
export function PromqlField({ id, value, madeFrom, expressions, onCommit }: Props) {
  const styles = useStyles2(getStyles);
  const { inputProps } = useDraft({ value, onCommit, on: 'blur' });
  return (
    <EditorRow>
      <div className={styles.wide}>
        <EditorField label={texts.query.promql} tooltip={texts.query.promqlHelp}>
          <TextArea
            id={id}
            className={styles.code}
            rows={3}
            spellCheck={false}
            autoComplete="off"
            placeholder={texts.query.promqlPlaceholder}
            aria-describedby={madeFrom ? `${id}-made` : undefined}
            {...inputProps}
          />
        </EditorField>
        {madeFrom && (
          <div id={`${id}-made`} className={styles.hint}>
            {texts.query.promqlFromSignal(madeFrom)}
            {expressions > 1 && ` ${texts.query.promqlFirstOf(expressions)}`}
          </div>
        )}
      </div>
    </EditorRow>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  wide: css({ flexGrow: 1 }),
  code: css({ fontFamily: theme.typography.fontFamilyMonospace }),
  hint: css({ fontSize: theme.typography.bodySmall.fontSize, color: theme.colors.text.secondary }),
});
