import { Combobox, Field, useStyles2 } from '@grafana/ui';
import React from 'react';

import { useAnswer } from '../../hooks/useAnswer';
import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import { getStyles } from './styles';

interface Props {
  id: string;
  disabled: boolean;
  source: SavedSource;
  preset?: string;
  /** What the server says is wrong with the name. */
  fault?: string;
  onChange: (preset: string) => void;
}

/** A model whose config is known to the server, with where its fields were read. */
export function PresetField({ id, disabled, source, preset, fault, onChange }: Props) {
  const styles = useStyles2(getStyles);
  const { answer: presets = [], error } = useAnswer(source.key, () => source.presets());
  const chosen = presets.find(({ name }) => name === preset);
  return (
    <div>
      <Field label={texts.sizes.preset} htmlFor={id} invalid={fault !== undefined} error={fault} noMargin>
        <Combobox
          id={id}
          width={44}
          disabled={disabled}
          options={presets.map(({ name, model, source: read, date }) => ({
            value: name,
            label: model === name ? name : `${name} (${model})`,
            description: texts.sizes.presetRead(read, date),
          }))}
          value={preset ?? null}
          placeholder={texts.sizes.presetPlaceholder}
          createCustomValue={error !== undefined}
          onChange={({ value }) => onChange(value)}
        />
      </Field>
      {chosen && <p className={styles.note}>{texts.sizes.presetRead(chosen.source, chosen.date)}</p>}
      {error !== undefined && <p className={styles.note}>{texts.sizes.presetsFailed}</p>}
    </div>
  );
}
