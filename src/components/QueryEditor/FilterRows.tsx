import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { AccessoryButton, EditorField, InputGroup } from '@grafana/plugin-ui';
import { Button, Combobox, MultiCombobox, Stack, useStyles2, type ComboboxOption } from '@grafana/ui';
import React, { useState } from 'react';

import type { DataSource, LabelScope } from '../../datasource';
import * as texts from '../../texts';
import type { FilterOp, LabelFilter } from '../../types';
import { FILTER_OPS } from '../../wire.gen';
import { variableOptions } from './variableOptions';

interface Props {
  id: string;
  datasource: DataSource;
  /** Where the values are looked for, beside the filters themselves. */
  scope: Pick<LabelScope, 'signal' | 'role' | 'system'>;
  filters: LabelFilter[];
  labels: string[];
  onChange: (filters: LabelFilter[]) => void;
}

const OPERATORS: Array<ComboboxOption<FilterOp>> = FILTER_OPS.map((value) => ({
  value,
  label: value,
  description: texts.filterOps[value],
}));

function isComplete({ label, values }: LabelFilter): boolean {
  return label !== '' && values.length > 0;
}

/** Rows that lack a label or a value live here only: what is saved is always a filter that can be applied. */
export function FilterRows({ id, datasource, scope, filters, labels, onChange }: Props) {
  const [rows, setRows] = useState(filters);
  const [seen, setSeen] = useState(JSON.stringify(filters));

  // The filters changed from outside: show those.
  const saved = JSON.stringify(filters);
  if (saved !== seen) {
    setSeen(saved);
    setRows(filters);
  }

  const change = (next: LabelFilter[]) => {
    setRows(next);
    const complete = next.filter(isComplete);
    const text = JSON.stringify(complete);
    if (text !== seen) {
      setSeen(text);
      onChange(complete);
    }
  };

  return (
    <EditorField label={texts.query.filters}>
      <Stack direction="row" wrap="wrap" gap={1} alignItems="center">
        {rows.map((row, index) => (
          <FilterRow
            key={index}
            id={`${id}-filter-${index}`}
            position={index + 1}
            datasource={datasource}
            scope={scope}
            others={rows.filter((other, at) => at !== index && isComplete(other))}
            labels={labels}
            row={row}
            onChange={(patch) => change(rows.map((old, at) => (at === index ? { ...old, ...patch } : old)))}
            onRemove={() => change(rows.filter((_, at) => at !== index))}
          />
        ))}
        <Button
          id={`${id}-filter-add`}
          size="md"
          variant="secondary"
          icon="plus"
          aria-label={texts.query.filterAdd}
          tooltip={rows.every(isComplete) ? texts.query.filterAdd : texts.query.filterIncomplete}
          onClick={() => change([...rows, { label: '', op: '=', values: [] }])}
        />
      </Stack>
    </EditorField>
  );
}

interface RowProps {
  id: string;
  position: number;
  datasource: DataSource;
  scope: Pick<LabelScope, 'signal' | 'role' | 'system'>;
  others: LabelFilter[];
  labels: string[];
  row: LabelFilter;
  onChange: (patch: Partial<LabelFilter>) => void;
  onRemove: () => void;
}

function FilterRow({ id, position, datasource, scope, others, labels, row, onChange, onRemove }: RowProps) {
  const styles = useStyles2(getStyles);
  const loadValues = async (input: string): Promise<ComboboxOption[]> => {
    if (row.label === '') {
      return [];
    }
    const { signal, role, system } = scope;
    // Values are a help, not a condition: a server that cannot list them must not stop anybody from typing one.
    const values = await datasource
      .getLabelValues(row.label, { signal, role, system, filters: others })
      .catch(() => []);
    const needle = input.toLowerCase();
    return [
      ...values.map((value) => ({ value, label: value === '' ? texts.query.emptyValue : value })),
      ...variableOptions(),
    ].filter(({ label }) => label?.toLowerCase().includes(needle));
  };

  return (
    <div className={styles.row}>
      {/* A Combobox takes its name from another element only. */}
      <div hidden>
        <span id={`${id}-label-name`}>{texts.query.filterLabel(position)}</span>
        <span id={`${id}-op-name`}>{texts.query.filterOp(position)}</span>
        <span id={`${id}-values-name`}>{texts.query.filterValues(position)}</span>
      </div>
      <InputGroup>
        <Combobox
          id={`${id}-label`}
          aria-labelledby={`${id}-label-name`}
          width={18}
          options={[...new Set([...labels, row.label])].filter(Boolean).map((value) => ({ value, label: value }))}
          value={row.label || null}
          placeholder={texts.query.filterLabelPlaceholder}
          createCustomValue
          onChange={({ value }) => onChange({ label: value, values: value === row.label ? row.values : [] })}
        />
        <Combobox
          id={`${id}-op`}
          aria-labelledby={`${id}-op-name`}
          width={8}
          options={OPERATORS}
          value={row.op}
          onChange={({ value }) => onChange({ op: value })}
        />
        <MultiCombobox
          id={`${id}-values`}
          key={row.label}
          aria-labelledby={`${id}-values-name`}
          width="auto"
          minWidth={22}
          options={loadValues}
          value={row.values.map((value) => ({ value, label: value }))}
          placeholder={texts.query.filterValuesPlaceholder}
          createCustomValue
          onChange={(options) => onChange({ values: options.map(({ value }) => value) })}
        />
        <AccessoryButton
          aria-label={texts.query.filterRemove(position)}
          icon="times"
          variant="secondary"
          onClick={onRemove}
        />
      </InputGroup>
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  // The values and what removes them get a line of their own where label and operator leave no room for them.
  row: css({
    minWidth: 0,
    maxWidth: '100%',
    '> div': {
      flexWrap: 'wrap',
      '> :nth-child(3)': { maxWidth: `min(${theme.spacing(60)}, calc(100% - ${theme.spacing(4)}))` },
    },
  }),
});
