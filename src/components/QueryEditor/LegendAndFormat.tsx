import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { EditorField } from '@grafana/plugin-ui';
import { Button, Input, RadioButtonGroup, useStyles2 } from '@grafana/ui';
import React from 'react';

import { useDraft } from '../../hooks/useDraft';
import * as texts from '../../texts';
import type { PDQuery } from '../../types';
import { FORMATS } from '../../wire.gen';

interface Props {
  id: string;
  query: PDQuery;
  onChange: (patch: Partial<PDQuery>) => void;
}

const FORMAT_OPTIONS = FORMATS.map((value) => ({ value, label: texts.formats[value] }));

export function LegendAndFormat({ id, query, onChange }: Props) {
  const styles = useStyles2(getStyles);
  const { inputProps } = useDraft({ value: query.legend, onCommit: (text) => onChange({ legend: text }), on: 'blur' });
  const isHeatmap = query.queryType === 'signal' && query.stat === 'heatmap';
  // What the answer has: those that were grouped by, and what the plan itself adds.
  const labels = query.queryType === 'signal' ? [...new Set([...query.groupBy, 'system', 'role'])] : [];
  const missing = labels.map((label) => `{{${label}}}`).filter((variable) => !query.legend.includes(variable));
  return (
    <>
      <EditorField label={texts.query.legend} tooltip={texts.query.legendHelp} htmlFor={`${id}-legend`}>
        <div>
          <Input id={`${id}-legend`} width={30} placeholder={texts.query.legendPlaceholder} {...inputProps} />
          {missing.length > 0 && (
            <div role="group" aria-label={texts.query.legendLabels} className={styles.labels}>
              {missing.map((variable) => (
                <Button
                  key={variable}
                  size="sm"
                  variant="secondary"
                  fill="text"
                  onClick={() => onChange({ legend: `${query.legend} ${variable}`.trim() })}
                >
                  {variable}
                </Button>
              ))}
            </div>
          )}
        </div>
      </EditorField>
      {!isHeatmap && (
        <EditorField label={texts.query.format}>
          <RadioButtonGroup
            id={`${id}-format`}
            aria-label={texts.query.format}
            options={FORMAT_OPTIONS}
            value={query.format}
            onChange={(format) => onChange({ format })}
          />
        </EditorField>
      )}
    </>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  labels: css({ display: 'flex', flexWrap: 'wrap', maxWidth: theme.spacing(30) }),
});
