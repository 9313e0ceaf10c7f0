import { EditorField } from '@grafana/plugin-ui';
import React, { useMemo } from 'react';

import { signalName, titleOf, unitName } from '../../names';
import * as texts from '../../texts';
import { isChinese } from '../../texts/language';
import type { Signal } from '../../types';
import { SignalSearch } from './SignalSearch';

interface Props {
  id: string;
  /** Undefined while loading, and where loading failed. */
  signals?: Signal[];
  value: string;
  onChange: (signal: Signal) => void;
  /** Given where no signal is a choice too. */
  onClear?: () => void;
  /** Said of the field where no signal is chosen. */
  tooltip?: string;
  placeholder?: string;
}

export function SignalPicker({ id, signals, value, onChange, onClear, tooltip, placeholder }: Props) {
  const selected = useMemo(() => signals?.find((signal) => signal.id === value), [signals, value]);
  const isUnknown = signals !== undefined && value !== '' && !selected && !value.includes('$');
  const name = value.includes('$') ? value : signalName(value);
  return (
    <EditorField
      label={texts.query.signal}
      tooltip={selected ? <SignalDetails signal={selected} /> : tooltip}
      invalid={isUnknown}
      error={isUnknown ? texts.query.notInCatalog(value) : undefined}
    >
      <SignalSearch
        id={id}
        signals={signals}
        value={value}
        label={selected ? titleOf(selected) : name}
        placeholder={placeholder ?? texts.query.signalPlaceholder}
        invalid={isUnknown}
        onChange={onChange}
        onClear={onClear}
      />
    </EditorField>
  );
}

function SignalDetails({ signal }: { signal: Signal }) {
  const level = signal.level && texts.query.perLevel(texts.levels[signal.level] ?? signal.level);
  const facts = [texts.kinds[signal.kind] ?? signal.kind, level, unitName(signal.unit)];
  return (
    <>
      <div>{signal.meaning}</div>
      {isChinese && signal.noteZh && <div>{signal.noteZh}</div>}
      <div>{facts.filter(Boolean).join(', ')}</div>
      {signal.caution && (
        <div>
          {texts.query.caution}: {signal.caution}
        </div>
      )}
      {signal.available === false && <div>{texts.query.unavailable(signal.reason)}</div>}
    </>
  );
}
