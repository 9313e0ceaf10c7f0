import { Field, Input } from '@grafana/ui';
import React from 'react';

import { useDraft } from '../hooks/useDraft';

interface Props {
  id: string;
  label: string;
  description?: string;
  placeholder?: string;
  value: string;
  check?: (text: string) => string | undefined;
  /** What the server says is wrong with the value; shown where `check` finds nothing. */
  fault?: string;
  onChange: (text: string) => void;
  width?: number;
  inputMode?: 'numeric';
  noMargin?: boolean;
  disabled?: boolean;
}

/** A text field that marks wrong input and says how to put it right. */
export function TextSetting(props: Props) {
  const { id, label, description, value, check, fault, onChange, width = 60, noMargin, ...rest } = props;
  const { error: wrong, inputProps } = useDraft({ value, check, onCommit: onChange, on: 'change' });
  const error = wrong ?? fault;
  return (
    <Field
      label={label}
      description={description}
      invalid={error !== undefined}
      error={error}
      htmlFor={id}
      noMargin={noMargin}
    >
      <Input id={id} width={width} autoComplete="off" spellCheck={false} {...rest} {...inputProps} />
    </Field>
  );
}
