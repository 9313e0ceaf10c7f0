import { EditorField } from '@grafana/plugin-ui';
import { Combobox, Input, MultiCombobox, RadioButtonGroup, type ComboboxOption } from '@grafana/ui';
import React, { useState } from 'react';

import { DEFAULT_QUANTILE } from '../../migrate';
import * as texts from '../../texts';
import type { PDQuery, Signal } from '../../types';
import { parseQuantile } from '../../validate';
import { variableOptions } from './variableOptions';

interface Props {
  id: string;
  signal: Signal;
  query: PDQuery;
  onChange: (patch: Partial<PDQuery>) => void;
}

/** Only what the chosen signal has: no statistic for a gauge, no role where only one exports it. */
export function SignalControls({ id, signal, query, onChange }: Props) {
  const stat = signal.stats.includes(query.stat) ? query.stat : signal.stats[0];
  const hasRoleChoice = signal.roles.length > 1 || query.role !== '';
  const hasSystemChoice = signal.systems.length > 1 || query.system !== 'auto';

  return (
    <>
      {signal.stats.length > 1 && (
        <EditorField label={texts.query.stat}>
          <RadioButtonGroup
            id={`${id}-stat`}
            aria-label={texts.query.stat}
            options={signal.stats.map((value) => ({ value, ...texts.stats[value] }))}
            value={stat}
            onChange={(chosen) => onChange({ stat: chosen })}
          />
        </EditorField>
      )}
      {stat === 'quantile' && (
        <QuantileField id={`${id}-quantile`} value={query.quantile} onChange={(quantile) => onChange({ quantile })} />
      )}
      {stat === 'under' && (
        <LimitField
          id={`${id}-limit`}
          unit={texts.units[signal.unit] ?? ''}
          value={query.limit}
          onChange={(limit) => onChange({ limit })}
        />
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
            options={[...new Set(['auto', ...signal.systems, query.system])].map((value) => ({
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

interface LimitProps {
  id: string;
  unit: string;
  value: number;
  onChange: (limit: number) => void;
}

/** A share needs a limit at which a bucket ends; which ones do is in the notices when none is there. */
function LimitField({ id, unit, value, onChange }: LimitProps) {
  const [typed, setTyped] = useState(value > 0 ? String(value) : '');
  const isWrong = !(Number(typed) > 0);
  return (
    <EditorField
      label={texts.query.limit}
      tooltip={texts.query.limitHelp}
      invalid={isWrong}
      error={isWrong ? texts.query.limitInvalid : undefined}
    >
      <Input
        id={id}
        width={14}
        suffix={unit}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={() => !isWrong && Number(typed) !== value && onChange(Number(typed))}
        onKeyDown={({ key }) => key === 'Enter' && !isWrong && onChange(Number(typed))}
      />
    </EditorField>
  );
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99];

interface QuantileProps {
  id: string;
  value: number;
  onChange: (quantile: number) => void;
}

function QuantileField({ id, value, onChange }: QuantileProps) {
  const [refused, setRefused] = useState(false);
  const isWrong = refused || !(value > 0 && value < 1);
  const options = [...new Set([...QUANTILES, value])].sort().map((quantile) => ({
    value: String(quantile),
    label: texts.quantileName(quantile),
  }));
  return (
    <EditorField
      label={texts.query.quantile}
      invalid={isWrong}
      error={isWrong ? texts.query.quantileInvalid : undefined}
    >
      <Combobox
        id={id}
        width={14}
        options={options}
        value={String(value)}
        placeholder={texts.query.quantilePlaceholder}
        createCustomValue
        onChange={(option) => {
          const quantile = parseQuantile(option.value ?? String(DEFAULT_QUANTILE));
          setRefused(quantile === undefined);
          if (quantile !== undefined) {
            onChange(quantile);
          }
        }}
      />
    </EditorField>
  );
}
