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
  onCommit: (expr: string) => void;
}

/** A plain text area: the code editor of Grafana would add megabytes and a worker for a mode that few need. */
export function PromqlField({ id, value, onCommit }: Props) {
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
            {...inputProps}
          />
        </EditorField>
      </div>
    </EditorRow>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  wide: css({ flexGrow: 1 }),
  code: css({ fontFamily: theme.typography.fontFamilyMonospace }),
});
