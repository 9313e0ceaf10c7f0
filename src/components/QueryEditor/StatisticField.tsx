import { EditorField } from '@grafana/plugin-ui';
import { Combobox, Input } from '@grafana/ui';
import React, { useState } from 'react';

import { useDraft } from '../../hooks/useDraft';
import * as texts from '../../texts';
import type { PDQuery, Signal } from '../../types';
import { choiceOf, choicesOf, chosen, statOf } from './statistics';

interface Props {
  id: string;
  signal: Signal;
  query: PDQuery;
  onChange: (patch: Partial<PDQuery>) => void;
}

/** One control for mean, any quantile, share under a limit and heatmap. */
export function StatisticField({ id, signal, query, onChange }: Props) {
  const [refused, setRefused] = useState(false);
  const hasQuantiles = signal.stats.includes('quantile');
  return (
    <>
      <EditorField
        label={texts.query.stat}
        tooltip={hasQuantiles ? texts.query.statHelp : undefined}
        invalid={refused}
        error={refused ? texts.query.quantileInvalid : undefined}
      >
        <Combobox
          id={id}
          width={22}
          options={choicesOf(signal, query)}
          value={choiceOf(signal, query)}
          createCustomValue={hasQuantiles}
          customValueDescription={texts.query.statCustom}
          onChange={({ value }) => {
            const patch = chosen(signal, value);
            setRefused(patch === undefined);
            if (patch) {
              onChange(patch);
            }
          }}
        />
      </EditorField>
      {statOf(signal, query) === 'under' && (
        <LimitField
          id={`${id}-limit`}
          unit={texts.units[signal.unit] ?? ''}
          value={query.limit}
          onChange={(limit) => onChange({ limit })}
        />
      )}
    </>
  );
}

interface LimitProps {
  id: string;
  unit: string;
  value: number;
  onChange: (limit: number) => void;
}

/** A share needs a limit at which a bucket ends; which ones do is in the notices when none is there. */
function LimitField({ id, unit, value, onChange }: LimitProps) {
  const { error, inputProps } = useDraft({
    value: value > 0 ? String(value) : '',
    check: (text) => (Number(text) > 0 ? undefined : texts.query.limitInvalid),
    onCommit: (text) => onChange(Number(text)),
    on: 'blur',
  });
  return (
    <EditorField label={texts.query.limit} tooltip={texts.query.limitHelp} invalid={error !== undefined} error={error}>
      <Input id={id} width={16} inputMode="decimal" suffix={unit} {...inputProps} />
    </EditorField>
  );
}
