import { EditorField } from '@grafana/plugin-ui';
import { Combobox, type ComboboxOption } from '@grafana/ui';
import React, { useCallback, useMemo } from 'react';

import type { DataSource } from '../../datasource';
import * as texts from '../../texts';
import type { Signal } from '../../types';

interface Props {
  id: string;
  datasource: DataSource;
  /** Undefined while loading, and where loading failed. */
  signals?: Signal[];
  value: string;
  onChange: (signal: Signal) => void;
}

export function toOption(signal: Signal): ComboboxOption {
  const unit = texts.unitName(signal.unit);
  const about = [signal.meaning, unit && `[${unit}]`].filter(Boolean).join(' ');
  return {
    value: signal.id,
    label: signal.title,
    group: signal.group,
    description: signal.available === false ? `${texts.query.unavailable(signal.reason)}. ${about}` : about,
    ...(signal.available === false ? { icon: 'exclamation-triangle' as const } : {}),
  };
}

/** Every word of the search must occur somewhere: in the title in either language, the id, the meaning or the group. */
export function search(signals: Signal[], input: string): Signal[] {
  const words = input.toLowerCase().split(/\s+/).filter(Boolean);
  return signals.filter((signal) => {
    const haystack = [
      signal.title,
      signal.titleZh,
      signal.id,
      signal.id.replaceAll('_', ' '),
      signal.meaning,
      signal.group,
    ]
      .join(' ')
      .toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

/** The options wait for the catalog, so that a menu that is opened at once fills as soon as it has arrived. */
export function useSignalOptions(datasource: DataSource) {
  return useCallback(
    async (input: string) => search((await datasource.getCatalog()).signals, input).map(toOption),
    [datasource]
  );
}

export function SignalPicker({ id, datasource, signals, value, onChange }: Props) {
  const known = useMemo(() => new Map(signals?.map((signal) => [signal.id, signal])), [signals]);
  const options = useSignalOptions(datasource);

  const selected = known.get(value);
  const isUnknown = signals !== undefined && value !== '' && !selected && !value.includes('$');
  return (
    <EditorField
      label={texts.query.signal}
      tooltip={selected && <SignalDetails signal={selected} />}
      invalid={isUnknown}
      error={isUnknown ? texts.query.notInCatalog(value) : undefined}
    >
      <Combobox
        id={id}
        options={options}
        value={value === '' ? null : { value, label: selected?.title ?? texts.signalName(value) }}
        placeholder={texts.query.signalPlaceholder}
        noOptionsMessage={texts.query.signalNone}
        width={42}
        onChange={(option) => {
          const signal = known.get(option.value);
          if (signal) {
            onChange(signal);
          }
        }}
      />
    </EditorField>
  );
}

function SignalDetails({ signal }: { signal: Signal }) {
  return (
    <>
      <div>{signal.meaning}</div>
      <div>
        {texts.kinds[signal.kind] ?? signal.kind}
        {signal.level ? `, per ${signal.level}` : ''}
        {signal.unit ? `, ${texts.unitName(signal.unit)}` : ''}
      </div>
      {signal.caution && (
        <div>
          {texts.query.caution}: {signal.caution}
        </div>
      )}
      {signal.available === false && <div>{texts.query.unavailable(signal.reason)}</div>}
    </>
  );
}
