import { Combobox, Field } from '@grafana/ui';
import React from 'react';

import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import { checkModel } from '../../validate';

interface Props {
  id: string;
  disabled: boolean;
  source: SavedSource;
  model: string;
  /** The rest of the entry is begun, so that the model is what is missing. */
  isBegun: boolean;
  /** The models of the entries before this one. */
  taken: string[];
  onChange: (model: string) => void;
}

/** A model that the server serves, or any name or /pattern/ that is typed. */
export function ModelField({ id, disabled, source, model, isBegun, taken, onChange }: Props) {
  const wrong = checkModel(model) ?? (taken.includes(model) ? texts.sizes.modelDuplicate : undefined);
  // Not on leaving the field: that would push the page down under the button that is being pressed.
  const error = isBegun || model !== '' ? wrong : undefined;

  const served = async (typed: string) => {
    // Without a server the name can still be typed.
    const models = await source.models().catch(() => []);
    const wanted = typed.toLowerCase();
    return models.filter((name) => name.toLowerCase().includes(wanted)).map((value) => ({ value, label: value }));
  };

  return (
    <Field label={texts.sizes.model} htmlFor={id} invalid={error !== undefined} error={error} noMargin>
      <Combobox
        id={id}
        width={44}
        disabled={disabled}
        options={served}
        value={model || null}
        placeholder={texts.sizes.modelPlaceholder}
        noOptionsMessage={texts.sizes.modelNone}
        createCustomValue
        customValueDescription={texts.sizes.modelCustom}
        onChange={({ value }) => onChange(value.trim())}
      />
    </Field>
  );
}
