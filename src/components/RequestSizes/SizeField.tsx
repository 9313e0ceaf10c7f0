import { Combobox, Field, RadioButtonGroup, useStyles2 } from '@grafana/ui';
import React from 'react';

import { choicesOf, type SizeKind } from '../../requestSize';
import * as texts from '../../texts';
import type { ChoiceField, CountField, RequestSize, ServingField, SwitchField } from '../../types';
import { checkCount } from '../../validate';
import { CHOICE_FIELDS, SWITCH_FIELDS } from '../../wire.gen';
import { TextSetting } from '../TextSetting';
import { getStyles } from './styles';

export interface SizeFieldsProps {
  /** Beginning of the ids of the fields. */
  id: string;
  disabled: boolean;
  kind: SizeKind;
  size: RequestSize;
  /** What the server refused, by field. */
  faults: Record<string, string>;
  /** The default that the server took for a field that is not set. */
  defaults: Record<string, string>;
  onChange: (patch: Partial<RequestSize>) => void;
}

interface Props extends SizeFieldsProps {
  field: ServingField;
}

const isChoice = (field: ServingField): field is ChoiceField => CHOICE_FIELDS.some((known) => known === field);
const isSwitch = (field: ServingField): field is SwitchField => SWITCH_FIELDS.some((known) => known === field);

/** One field of a size, with the default that applies while it is empty. */
export function SizeField(props: Props) {
  const styles = useStyles2(getStyles);
  const { field, size, defaults } = props;
  const applied = size[field] === undefined ? defaults[field] : undefined;
  return (
    <div>
      {isChoice(field) ? (
        <ChoiceInput {...props} field={field} />
      ) : isSwitch(field) ? (
        <SwitchInput {...props} field={field} />
      ) : (
        <CountInput {...props} field={field} />
      )}
      {applied && <p className={styles.note}>{`${texts.sizes.byDefault}: ${applied}`}</p>}
    </div>
  );
}

const WIDTH = 25;

/** Of these a size cannot do without; the others have defaults. */
const REQUIRED: ServingField[] = ['bytesPerRequest', 'layers', 'kvHeads', 'headDim', 'inputTokens'];

function CountInput({ id, field, disabled, size, faults, onChange }: Props & { field: CountField }) {
  const { label, help, placeholder } = texts.sizes.fieldTexts[field];
  const value = size[field];
  return (
    <TextSetting
      id={`${id}-${field}`}
      label={label}
      description={help}
      placeholder={placeholder}
      disabled={disabled}
      value={value === undefined ? '' : String(value)}
      check={(text) => (text.trim() === '' && !REQUIRED.includes(field) ? undefined : checkCount(text))}
      fault={faults[field]}
      onChange={(text) => onChange({ [field]: text === '' ? undefined : Number(text) })}
      width={WIDTH}
      inputMode="numeric"
      noMargin
    />
  );
}

function ChoiceInput({ id, field, disabled, kind, size, faults, onChange }: Props & { field: ChoiceField }) {
  const { label, help, placeholder } = texts.sizes.fieldTexts[field];
  const value = size[field];
  const names = new Set([...choicesOf(field, size, kind), ...(value === undefined ? [] : [value])]);
  const store = (chosen?: string) =>
    // A connector belongs to its engine.
    onChange(field === 'engine' ? { engine: chosen, connector: undefined } : { [field]: chosen });
  const common = {
    id: `${id}-${field}`,
    width: WIDTH,
    disabled: disabled || names.size === 0,
    options: [...names].map((name) => ({
      value: name,
      label: field === 'engine' ? (texts.systems[name] ?? name) : name,
    })),
    value: value ?? null,
    placeholder,
  };
  return (
    <Field
      label={label}
      description={help}
      htmlFor={common.id}
      invalid={faults[field] !== undefined}
      error={faults[field]}
      noMargin
    >
      {kind === 'geometry' ? (
        <Combobox {...common} onChange={(option) => store(option.value)} />
      ) : (
        <Combobox {...common} isClearable onChange={(option) => store(option?.value)} />
      )}
    </Field>
  );
}

const SWITCH_OPTIONS = (['default', 'on', 'off'] as const).map((value) => ({
  value,
  label: texts.sizes.switches[value],
}));

function SwitchInput({ id, field, disabled, size, faults, onChange }: Props & { field: SwitchField }) {
  const { label, help } = texts.sizes.fieldTexts[field];
  const value = size[field];
  return (
    <Field label={label} description={help} invalid={faults[field] !== undefined} error={faults[field]} noMargin>
      <RadioButtonGroup
        id={`${id}-${field}`}
        aria-label={label}
        disabled={disabled}
        options={SWITCH_OPTIONS}
        value={value === undefined ? 'default' : value ? 'on' : 'off'}
        onChange={(chosen) => onChange({ [field]: chosen === 'default' ? undefined : chosen === 'on' })}
      />
    </Field>
  );
}
