import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { Combobox, Icon, InlineField, Input, MultiCombobox, Tooltip, useStyles2 } from '@grafana/ui';
import React from 'react';

import { ALL } from '../runtime/templates';
import * as texts from '../texts';
import type { Variable } from './variables';

export function VariableBar({ variables }: { variables: Variable[] }) {
  const styles = useStyles2(getStyles);
  const shown = variables.filter(({ isHidden }) => !isHidden);
  return (
    <div className={styles.bar}>
      {shown.map((variable) => (
        <InlineField
          key={variable.name}
          label={
            <label htmlFor={`var-${variable.name}`} className={styles.label}>
              {variable.label}
              {variable.error !== undefined && (
                <Tooltip content={`${texts.dashboard.variableFailed(variable.label)}: ${variable.error}`}>
                  <Icon name="exclamation-triangle" className={styles.failed} tabIndex={0} />
                </Tooltip>
              )}
            </label>
          }
        >
          <Control variable={variable} />
        </InlineField>
      ))}
    </div>
  );
}

/** The selection is kept in the address, from where the dashboard reads it. */
function choose(name: string, values: string[]) {
  locationService.partial({ [`var-${name}`]: values });
}

function Control({ variable }: { variable: Variable }) {
  const { name, options, values, includeAll, multi, type } = variable;
  const id = `var-${name}`;
  if (type === 'textbox') {
    return (
      <Input
        id={id}
        key={values[0]}
        defaultValue={values[0] ?? ''}
        width={24}
        onBlur={({ currentTarget }) => choose(name, [currentTarget.value])}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && choose(name, [currentTarget.value])}
      />
    );
  }
  const all = { value: ALL, label: texts.dashboard.all };
  const choices = [...(includeAll ? [all] : []), ...options.map((value) => ({ value, label: value }))];
  if (!multi) {
    return (
      <Combobox
        id={id}
        width="auto"
        minWidth={16}
        options={choices}
        value={values[0] ?? null}
        onChange={({ value }) => choose(name, [value])}
      />
    );
  }
  return (
    <MultiCombobox
      id={id}
      width="auto"
      minWidth={16}
      maxWidth={60}
      options={choices}
      value={values}
      onChange={(chosen) => {
        const next = chosen.map(({ value }) => value);
        // "All" and single values exclude each other: what was chosen last wins.
        const justAll = next.length === 0 || (next.includes(ALL) && !values.includes(ALL));
        choose(name, justAll && includeAll ? [ALL] : next.filter((value) => value !== ALL));
      }}
    />
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  bar: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(1), '& > div': { margin: 0 } }),
  label: css({
    display: 'flex',
    alignItems: 'center',
    gap: theme.spacing(0.5),
    padding: theme.spacing(0, 1),
    height: theme.spacing(theme.components.height.md),
    fontSize: theme.typography.bodySmall.fontSize,
    fontWeight: theme.typography.fontWeightMedium,
    background: theme.colors.background.secondary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRight: 'none',
    borderRadius: `${theme.shape.radius.default} 0 0 ${theme.shape.radius.default}`,
  }),
  failed: css({ color: theme.colors.warning.text }),
});
