import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Combobox } from '@grafana/ui';
import React, { useEffect, useId } from 'react';

import type { DataSource } from '../datasource';
import { useCatalog } from '../hooks/useCatalog';
import { isNewVariableQuery, migrateVariableQuery } from '../migrate';
import * as texts from '../texts';
import type { PDOptions, PDQuery, PDVariableQuery } from '../types';
import { ROLES, SYSTEM_AUTO } from '../wire.gen';
import { CatalogState } from './CatalogState';
import { FilterRows } from './QueryEditor/FilterRows';
import { Rows } from './Rows';
import { SignalPicker } from './SignalPicker/SignalPicker';
import { VariablePreview } from './VariablePreview';

type Props = QueryEditorProps<DataSource, PDQuery, PDOptions, PDVariableQuery>;

/** Labels that are useful before, or without, the catalog. */
const COMMON_LABELS = ['model', 'instance', 'engine', 'role', 'system', 'device', 'gpu'];

export function VariableQueryEditor({ datasource, query: saved, onChange, onRunQuery }: Props) {
  const id = useId();
  const query = migrateVariableQuery(saved);
  const isNew = isNewVariableQuery(saved);
  useEffect(() => {
    // A new variable is saved as it is shown: Grafana takes one without a query for empty.
    if (isNew) {
      onChange(query);
      onRunQuery();
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each new query
  }, [isNew]);
  const known = useCatalog(datasource);
  const signals = known.catalog?.signals ?? [];
  const signal = signals.find((candidate) => candidate.id === query.signal);
  const labels = [...new Set((signal ? [signal] : signals).flatMap((one) => one.labels))];
  const choices = [...new Set([...COMMON_LABELS, ...labels, query.label])];
  const roles = [...new Set([...ROLES, query.role])].filter(Boolean);
  const systems = [...new Set([SYSTEM_AUTO, ...(known.catalog?.systems ?? []), query.system])];

  const update = (patch: Partial<PDVariableQuery>) => {
    onChange({ ...query, ...patch });
    onRunQuery();
  };

  return (
    <Rows>
      <EditorRow>
        <EditorField label={texts.variable.label} tooltip={texts.variable.labelHelp}>
          <Combobox
            id={`${id}-label`}
            width={24}
            options={choices.map((value) => {
              const name = texts.variable.labels[value];
              return name ? { value, label: name, description: value } : { value, label: value };
            })}
            value={query.label}
            createCustomValue
            customValueDescription={texts.variable.labelCustom}
            onChange={({ value }) => update({ label: value })}
          />
        </EditorField>
        <SignalPicker
          id={`${id}-signal`}
          signals={known.catalog?.signals}
          value={query.signal}
          tooltip={texts.variable.signalHelp}
          placeholder={texts.variable.any}
          onChange={(chosen) => update({ signal: chosen.id })}
          onClear={() => update({ signal: '' })}
        />
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
      <EditorRow>
        <FilterRows
          id={id}
          datasource={datasource}
          scope={query}
          filters={query.filters}
          labels={labels}
          onChange={(filters) => update({ filters })}
        />
      </EditorRow>
      <CatalogState known={known} datasource={datasource} />
      <VariablePreview datasource={datasource} query={query} />
    </Rows>
  );
}
