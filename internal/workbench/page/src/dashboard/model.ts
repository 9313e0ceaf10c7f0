import type { DataTransformerConfig, FieldConfigSource } from '@grafana/data';
import type { PDQuery } from 'plugin/types';

/** The part of Grafana's classic dashboard JSON that the workbench draws. Everything in it may be missing. */
export interface Dashboard {
  uid: string;
  title: string;
  description?: string;
  tags?: string[];
  time?: { from: string; to: string };
  timepicker?: { refresh_intervals?: string[] };
  refresh?: string | false;
  panels?: Panel[];
  templating?: { list?: VariableModel[] };
  links?: DashboardLink[];
}

export interface GridPos {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Panel {
  id: number;
  type: string;
  title?: string;
  description?: string;
  gridPos: GridPos;
  targets?: PDQuery[];
  options?: Record<string, unknown>;
  fieldConfig?: FieldConfigSource;
  transformations?: DataTransformerConfig[];
  interval?: string;
  maxDataPoints?: number;
  links?: DashboardLink[];
  transparent?: boolean;
  repeat?: string;
  repeatDirection?: 'h' | 'v';
  maxPerRow?: number;
  /** Of a row. */
  collapsed?: boolean;
  panels?: Panel[];
}

export interface DashboardLink {
  type?: 'link' | 'dashboards';
  title?: string;
  url?: string;
  tags?: string[];
  keepTime?: boolean;
  includeVars?: boolean;
  targetBlank?: boolean;
}

export interface VariableOption {
  text: string | string[];
  value: string | string[];
}

export interface VariableModel {
  name: string;
  type: string;
  label?: string | null;
  /** 1: without its label, 2: not at all. */
  hide?: number;
  query?: unknown;
  regex?: string;
  sort?: number;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string | null;
  current?: Partial<VariableOption>;
  options?: VariableOption[];
}

/** An entry of the list of dashboards. */
export interface DashboardHit {
  uid: string;
  title: string;
  tags: string[];
  url: string;
}
