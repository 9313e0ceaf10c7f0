import { EditorField } from '@grafana/plugin-ui';
import { Combobox, MultiCombobox, RadioButtonGroup, type ComboboxOption } from '@grafana/ui';
import React from 'react';

import * as texts from '../../texts';
import type { PDQuery, Signal } from '../../types';
import { SYSTEM_AUTO } from '../../wire.gen';
import { StatisticField } from './StatisticField';
import { variableOptions } from './variableOptions';

interface Props {
  id: string;
  signal: Signal;
  query: PDQuery;
  onChange: (patch: Partial<PDQuery>) => void;
}

/** Only what the chosen signal has: no statistic for a gauge, no role where only one exports it. */
export function SignalControls({ id, signal, query, onChange }: Props) {
  const hasRoleChoice = signal.roles.length > 1 || query.role !== '';
  const hasSystemChoice = signal.systems.length > 1 || query.system !== SYSTEM_AUTO;

  return (
    <>
      {signal.stats.length > 1 && (
        // Another signal has other statistics: what was refused of the last one is forgotten.
        <StatisticField key={signal.id} id={`${id}-stat`} signal={signal} query={query} onChange={onChange} />
      )}
      {hasRoleChoice && (
        <EditorField label={texts.query.role}>
          <RadioButtonGroup
            id={`${id}-role`}
            aria-label={texts.query.role}
            options={[...new Set(['', ...signal.roles, query.role])].map((value) => ({
              value,
              ...(texts.roles[value] ?? { label: value }),
            }))}
            value={query.role}
            onChange={(role) => onChange({ role })}
          />
        </EditorField>
      )}
      {hasSystemChoice && (
        <EditorField label={texts.query.system} tooltip={texts.query.systemHelp}>
          <Combobox
            id={`${id}-system`}
            width={18}
            options={[...new Set([SYSTEM_AUTO, ...signal.systems, query.system])].map((value) => ({
              value,
              label: texts.systems[value] ?? value,
            }))}
            value={query.system}
            onChange={({ value }) => onChange({ system: value })}
          />
        </EditorField>
      )}
      <EditorField label={texts.query.groupBy} tooltip={texts.query.groupByHelp} width={36}>
        <MultiCombobox
          id={`${id}-group-by`}
          options={groupByOptions(signal, query)}
          value={query.groupBy}
          placeholder={texts.query.groupByPlaceholder}
          createCustomValue
          isClearable
          onChange={(options) => onChange({ groupBy: options.map(({ value }) => value) })}
        />
      </EditorField>
    </>
  );
}

function groupByOptions(signal: Signal, query: PDQuery): ComboboxOption[] {
  const labels = [...new Set([...signal.labels, ...query.groupBy])].map((value) => ({ value, label: value }));
  const variables = variableOptions().filter(({ value }) => !query.groupBy.includes(value));
  return [...labels, ...variables];
}
