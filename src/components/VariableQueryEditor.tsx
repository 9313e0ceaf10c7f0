import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow, EditorRows } from '@grafana/plugin-ui';
import { Combobox } from '@grafana/ui';
import React, { useId } from 'react';

import type { DataSource } from '../datasource';
import { useCatalog } from '../hooks/useCatalog';
import { migrateVariableQuery } from '../migrate';
import * as texts from '../texts';
import type { PDOptions, PDQuery, PDVariableQuery } from '../types';
import { useSignalOptions } from './QueryEditor/SignalPicker';

type Props = QueryEditorProps<DataSource, PDQuery, PDOptions, PDVariableQuery>;

/** Labels that are useful before, or without, the catalogue. */
const COMMON_LABELS = ['model', 'instance', 'engine', 'role'];

export function VariableQueryEditor({ datasource, query: saved, onChange, onRunQuery }: Props) {
  const id = useId();
  const query = migrateVariableQuery(saved);
  const { catalog } = useCatalog(datasource);
  const signals = catalog?.signals ?? [];
  const signalOptions = useSignalOptions(datasource);
  const signal = signals.find((candidate) => candidate.id === query.signal);
  const labels = [
    ...new Set([...COMMON_LABELS, ...(signal ? [signal] : signals).flatMap((one) => one.labels), query.label]),
  ];
  const roles = [...new Set(['prefill', 'decode', 'unified', query.role])].filter(Boolean);
  const systems = [...new Set(['auto', ...(catalog?.systems ?? []), query.system])];

  const update = (patch: Partial<PDVariableQuery>) => {
    onChange({ ...query, ...patch });
    onRunQuery();
  };

  return (
    <EditorRows>
      <EditorRow>
        <EditorField label={texts.variable.label} tooltip={texts.variable.labelHelp}>
          <Combobox
            id={`${id}-label`}
            width={24}
            options={labels.map((value) => ({ value, label: value }))}
            value={query.label}
            createCustomValue
            onChange={({ value }) => update({ label: value })}
          />
        </EditorField>
        <EditorField label={texts.variable.signal} tooltip={texts.variable.signalHelp} optional>
          <Combobox
            id={`${id}-signal`}
            width={42}
            options={signalOptions}
            value={
              query.signal === ''
                ? null
                : { value: query.signal, label: signal?.title ?? texts.signalName(query.signal) }
            }
            placeholder={texts.variable.any}
            isClearable
            onChange={(option) => update({ signal: option?.value ?? '' })}
          />
        </EditorField>
        <EditorField label={texts.variable.role} optional>
          <Combobox
            id={`${id}-role`}
            width={18}
            options={roles.map((value) => ({ value, label: texts.roles[value]?.label ?? value }))}
            value={query.role || null}
            placeholder={texts.variable.any}
            isClearable
            createCustomValue
            onChange={(option) => update({ role: option?.value ?? '' })}
          />
        </EditorField>
        <EditorField label={texts.variable.system} optional>
          <Combobox
            id={`${id}-system`}
            width={18}
            options={systems.map((value) => ({ value, label: texts.systems[value] ?? value }))}
            value={query.system}
            createCustomValue
            onChange={({ value }) => update({ system: value })}
          />
        </EditorField>
      </EditorRow>
    </EditorRows>
  );
}
