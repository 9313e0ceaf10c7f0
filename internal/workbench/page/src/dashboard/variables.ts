import { rangeUtil } from '@grafana/data';
import type { DataSource } from 'plugin/datasource';
import type { PDVariableQuery } from 'plugin/types';

import { ALL, templates, type TemplateVariable } from '../runtime/templates';
import type { VariableModel } from './model';

/** A variable of the dashboard that is open. */
export interface Variable extends TemplateVariable {
  label: string;
  type: string;
  isHidden: boolean;
  error?: string;
}

/** What is selected in the address, by name of the variable. */
export type Selection = Record<string, string[]>;

const PREFIX = 'var-';

export function selectionOf(search: string): Selection {
  const params = new URLSearchParams(search);
  const names = [...new Set(params.keys())].filter((key) => key.startsWith(PREFIX));
  return Object.fromEntries(names.map((key) => [key.slice(PREFIX.length), params.getAll(key)]));
}

const asList = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** "a, b : c" is two options, of which the second is shown as "b" and means "c". */
function customOptions(query: unknown): string[] {
  return String(query ?? '')
    .split(/(?<!\\),/)
    .map((item) => item.trim().replace(/\\,/g, ','))
    .map((item) => item.split(' : ').at(-1) ?? item)
    .filter(Boolean);
}

/** Grafana numbers the ways to sort: odd rising, even falling; 1 and 2 by letters, 3 and 4 by number, 7 and 8 naturally. */
function sorted(values: string[], sort = 0): string[] {
  if (sort === 0) {
    return values;
  }
  const numeric = sort === 3 || sort === 4 || sort >= 7;
  const rising = [...values].sort((a, b) => a.localeCompare(b, undefined, { numeric, sensitivity: 'base' }));
  return sort % 2 === 1 ? rising : rising.reverse();
}

/** Keeps what the pattern finds, of its first group where it has one. */
function matching(values: string[], regex = ''): string[] {
  if (regex === '') {
    return values;
  }
  const parts = /^\/(.*)\/([gimsu]*)$/s.exec(regex);
  const pattern = parts ? new RegExp(parts[1], parts[2].replace('g', '')) : new RegExp(regex);
  return [...new Set(values.flatMap((value) => pattern.exec(value)?.slice(0, 2).at(-1) ?? []))];
}

async function options(model: VariableModel, datasource: DataSource): Promise<string[]> {
  switch (model.type) {
    case 'query': {
      const found = await datasource.metricFindQuery(model.query as PDVariableQuery | string);
      return sorted(
        matching(
          found.map(({ text, value }) => String(value ?? text)),
          model.regex
        ),
        model.sort
      );
    }
    case 'custom':
      return customOptions(model.query);
    case 'interval':
      return customOptions(model.query).filter((text) => text !== 'auto' && rangeUtil.intervalToMs(text) > 0);
    case 'datasource':
      return [datasource.uid];
    case 'constant':
      return [String(model.query ?? '')];
    default:
      return [];
  }
}

/** What is selected: what the address says, else what the dashboard was saved with, as far as it is still there. */
function selected(model: VariableModel, available: string[], asked?: string[]): string[] {
  if (model.type === 'textbox') {
    return asked ?? asList(model.current?.value ?? String(model.query ?? ''));
  }
  const wanted = asked ?? asList(model.current?.value);
  if (model.includeAll && (wanted.includes(ALL) || (asked?.includes(model.allValue ?? '') ?? false))) {
    return [ALL];
  }
  const kept = wanted.filter((value) => available.includes(value));
  if (kept.length > 0) {
    return model.multi ? kept : kept.slice(0, 1);
  }
  return model.includeAll ? [ALL] : available.slice(0, 1);
}

/** Reads the variables of a dashboard in order, so that each may depend on those before it. */
export async function loadVariables(
  models: VariableModel[],
  datasource: DataSource,
  selection: Selection,
  messageOf: (error: unknown) => string
): Promise<Variable[]> {
  const known: Variable[] = [];
  for (const model of models.filter(({ type }) => type !== 'adhoc' && type !== 'groupby')) {
    templates.use(known);
    let available: string[] = [];
    let error: string | undefined;
    try {
      available = await options(model, datasource);
    } catch (cause) {
      error = messageOf(cause);
    }
    known.push({
      name: model.name,
      label: model.label || model.name,
      type: model.type,
      isHidden: model.hide === 2 || model.type === 'constant' || model.type === 'datasource',
      multi: model.multi ?? false,
      includeAll: model.includeAll ?? false,
      allValue: model.allValue || undefined,
      options: available,
      values: selected(model, available, selection[model.name]),
      error,
    });
  }
  templates.use(known);
  return known;
}

/** The selected values, "All" written out: what a panel is repeated for. */
export function valuesOf(variables: Variable[], name: string): string[] {
  const variable = variables.find((candidate) => candidate.name === name);
  return variable ? (variable.values.includes(ALL) ? variable.options : variable.values) : [];
}

/** The selection as parameters of an address. */
export function selectionParams(variables: Variable[]): URLSearchParams {
  const shown = variables.filter(({ type }) => type !== 'constant' && type !== 'datasource');
  return new URLSearchParams(shown.flatMap(({ name, values }) => values.map((value) => [PREFIX + name, value])));
}
