import type { DataSourceJsonData } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';

import type * as wire from './wire.gen';

/**
 * What travels is written from the Go side, which is the authority. Here is what the front end alone has: queries that
 * are complete, and drafts of what is being typed.
 */
export type * from './wire.gen';

/** A query with every field: what is stored may lack those that have their default. */
export interface PDQuery extends DataQuery, Required<Omit<wire.Query, 'role' | 'inventory'>> {
  queryType: wire.QueryType;
  /** Of `ROLES`, or a dashboard variable. */
  role: string;
  /** Of `INVENTORIES`, or empty for a query of another type. */
  inventory: string;
  /** The editor made `expr` of the signal and nobody has changed it since. The back end does not read this. */
  exprMade?: boolean;
}

/** What is asked of the back end about a query that is being edited. */
export interface CompileRequest extends Omit<wire.CompileRequest, 'query'> {
  query: PDQuery;
}

/** What a query variable asks for: the values of one logical label, optionally of one signal, role or system. */
export interface PDVariableQuery extends DataQuery {
  label: string;
  signal: string;
  /** Of `ROLES`, or a dashboard variable. */
  role: string;
  system: string;
  filters: wire.LabelFilter[];
}

/** What is said beside an answer: what the editor itself says has no code. */
export interface Notice extends Omit<wire.Notice, 'code'> {
  code?: string;
}

export type ServingField = wire.CountField | wire.ChoiceField | wire.SwitchField;

/**
 * KV bytes per request of one model, in one of four ways: a known number; the geometry of plain grouped-query
 * attention; or `config` (the model's config.json) or `preset` (a model whose config is known), with how it is served.
 */
export interface RequestSize extends Omit<wire.RequestSize, 'config'> {
  /** Text that is no JSON object yet is kept as it is: the server then says so, and nothing typed is lost. */
  config?: Record<string, unknown> | string;
}

export interface PDOptions extends DataSourceJsonData, Omit<wire.Settings, 'requestSizes'> {
  requestSizes?: RequestSize[];
}

export type PDSecureOptions = Record<string, string>;
