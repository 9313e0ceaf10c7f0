import {
  AbstractLabelOperator,
  type AbstractQuery,
  type AdHocVariableFilter,
  type CoreApp,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceGetTagKeysOptions,
  type DataSourceGetTagValuesOptions,
  type DataSourceInstanceSettings,
  type MetricFindValue,
  type ScopedVars,
  type TestDataSourceResponse,
} from '@grafana/data';
import { DataSourceWithBackend, getTemplateSrv, HealthStatus, type TemplateSrv } from '@grafana/runtime';
import type { Observable } from 'rxjs';

import { isAlerting } from './alerting';
import { annotationSupport } from './annotations';
import { DASHBOARD_VARIABLE, fromAdHocFilter, interpolateQuery, templatesOf } from './interpolate';
import { DEFAULT_QUERY, migrateQuery, migrateVariableQuery } from './migrate';
import { describeQuery } from './names';
import { LOOK_AGAIN } from './lookAgain';
import type {
  Catalog,
  CompileRequest,
  Compiled,
  FilterOp,
  HealthDetails,
  LabelFilter,
  PDOptions,
  PDQuery,
  PDVariableQuery,
} from './types';
import { utcOffsetSec } from './utcOffset';
import { PDVariableSupport } from './variables';

/** What a target reports depends on its start-up flags, so availability is asked for again now and then. */
const CATALOG_LIFETIME_MS = 60_000;

/** Failures of these calls are shown beside the control that needed them, not as a toast. */
const QUIET = { showErrorAlert: false };

/** Go writes an empty list as null where nobody made one; the editors count on lists. */
function completeCatalog({ signals, systems, unseen = '' }: Partial<Catalog>): Catalog {
  return {
    unseen,
    systems: systems ?? [],
    signals: (signals ?? []).map((signal) => ({
      ...signal,
      stats: signal.stats ?? [],
      roles: signal.roles ?? [],
      labels: signal.labels ?? [],
      systems: signal.systems ?? [],
    })),
  };
}

const ABSTRACT_OPS: Record<AbstractLabelOperator, FilterOp> = {
  [AbstractLabelOperator.Equal]: '=',
  [AbstractLabelOperator.NotEqual]: '!=',
  [AbstractLabelOperator.EqualRegEx]: '=~',
  [AbstractLabelOperator.NotEqualRegEx]: '!~',
};

/** What engines call a label that we call by another name. */
const LOGICAL_LABELS: Record<string, string> = { model_name: 'model', served_model_name: 'model' };

/** Where values of a label are looked for. */
export interface LabelScope {
  signal?: string;
  role?: string;
  system?: string;
  /** Those on other labels. */
  filters?: LabelFilter[];
}

/** A variable that nobody replaced narrows nothing: the values then are more than there are, never fewer. */
const isDecided = (text?: string) => text !== undefined && text !== '' && !DASHBOARD_VARIABLE.test(text);

export class DataSource extends DataSourceWithBackend<PDQuery, PDOptions> {
  readonly scrapeInterval: string;
  private catalog?: { fetched: number; promise: Promise<Catalog> };

  constructor(
    instanceSettings: DataSourceInstanceSettings<PDOptions>,
    private readonly templateSrv: TemplateSrv = getTemplateSrv()
  ) {
    super(instanceSettings);
    this.scrapeInterval = instanceSettings.jsonData?.scrapeInterval ?? '';
    this.annotations = annotationSupport;
    this.variables = new PDVariableSupport(this);
  }

  getDefaultQuery(app: CoreApp): Partial<PDQuery> {
    if (isAlerting(app)) {
      // The form of an alert rule shows the default and does not save it: there the editor does, on seeing none.
      return {};
    }
    return { ...DEFAULT_QUERY, groupBy: [...DEFAULT_QUERY.groupBy], filters: [] };
  }

  filterQuery(query: PDQuery): boolean {
    const { queryType, signal, expr } = migrateQuery(query);
    const asked = { signal, promql: expr.trim(), inventory: queryType }[queryType];
    return !query.hide && asked !== '';
  }

  /** The offset belongs to a request, not to a query: it is sent and never saved. */
  query(request: DataQueryRequest<PDQuery>): Observable<DataQueryResponse> {
    const offset = { utcOffsetSec: utcOffsetSec(request) };
    return super.query({ ...request, targets: request.targets.map((target) => ({ ...target, ...offset })) });
  }

  applyTemplateVariables(query: PDQuery, scopedVars: ScopedVars, filters?: AdHocVariableFilter[]): PDQuery {
    return interpolateQuery(this.templateSrv, migrateQuery(query), scopedVars, filters);
  }

  interpolateVariablesInQueries(
    queries: PDQuery[],
    scopedVars: ScopedVars,
    filters?: AdHocVariableFilter[]
  ): PDQuery[] {
    return queries.map((query) => ({
      ...this.applyTemplateVariables(query, scopedVars, filters),
      datasource: this.getRef(),
    }));
  }

  getQueryDisplayText(query: PDQuery): string {
    return describeQuery(migrateQuery(query));
  }

  targetContainsTemplate(query: PDQuery): boolean {
    return templatesOf(migrateQuery(query)).some((template) => this.templateSrv.containsTemplate(template));
  }

  /** Also where no dashboard is there to tell which variables exist, as in an alert rule. */
  hasVariables(query: PDQuery): boolean {
    return templatesOf(query).some((template) => DASHBOARD_VARIABLE.test(template));
  }

  /** The signals and which of them the server has; `isAgain` looks at the server anew. */
  getCatalog(isAgain = false): Promise<Catalog> {
    const now = Date.now();
    if (isAgain || !this.catalog || now - this.catalog.fetched > CATALOG_LIFETIME_MS) {
      const params = isAgain ? LOOK_AGAIN : undefined;
      const promise = this.getResource<Partial<Catalog>>('catalog', params, QUIET).then(completeCatalog);
      const entry = { fetched: now, promise };
      this.catalog = entry;
      promise.catch(() => {
        // A failure is not kept: the next editor that opens asks again.
        if (this.catalog === entry) {
          this.catalog = undefined;
        }
      });
    }
    return this.catalog.promise;
  }

  async compile(request: CompileRequest, abortSignal?: AbortSignal): Promise<Compiled> {
    const answer = await this.postResource<Compiled>('compile', request, { ...QUIET, abortSignal });
    return {
      ...answer,
      promql: answer.promql ?? [],
      explanation: answer.explanation ?? [],
      notices: answer.notices ?? [],
    };
  }

  async getLabelValues(label: string, { signal, role, system, filters = [] }: LabelScope = {}): Promise<string[]> {
    const decided = filters.filter((filter) => filter.label !== label && filter.values.every(isDecided));
    const params = Object.fromEntries(
      Object.entries({
        signal,
        role,
        system,
        filters: decided.length > 0 ? JSON.stringify(decided) : undefined,
      })
        .filter(([name, value]) => name === 'filters' || isDecided(value))
        .filter(([, value]) => value !== undefined)
    );
    const path = `labels/${encodeURIComponent(label)}/values`;
    const { values } = await this.getResource<{ values: string[] | null }>(path, params, QUIET);
    return values ?? [];
  }

  async metricFindQuery(
    query: PDVariableQuery | string,
    options?: { scopedVars?: ScopedVars }
  ): Promise<MetricFindValue[]> {
    const { label, ...scope } = this.interpolateScope(migrateVariableQuery(query), options?.scopedVars);
    const values = await this.getLabelValues(label, scope);
    return values.map((value) => ({ text: value, value }));
  }

  /** A variable query with the variables that it depends on replaced. */
  private interpolateScope(asked: PDVariableQuery, scopedVars: ScopedVars = {}) {
    const replace = (template: string) => this.templateSrv.replace(template, scopedVars);
    const { signal, role, system } = asked;
    const { filters } = this.applyTemplateVariables(
      { ...migrateQuery({ refId: '' }), filters: asked.filters },
      scopedVars
    );
    return {
      label: replace(asked.label),
      signal: replace(signal),
      role: replace(role),
      system: replace(system),
      filters,
    };
  }

  /**
   * What "Save & test" shows. A server that answers although a curve cannot be drawn is no plain success; Grafana's own
   * reading of the health check knows only that and failure, and drops the lines below the first.
   */
  async testDatasource(): Promise<TestDataSourceResponse> {
    const { status, message, details } = await this.callHealthCheck();
    if (status !== HealthStatus.OK) {
      throw new Error(message);
    }
    const { severity, message: headline, verboseMessage } = (details ?? {}) as Partial<HealthDetails>;
    return {
      status: severity === 'warning' ? 'warning' : 'success',
      message: headline ?? message,
      details: { message: verboseMessage },
    };
  }

  /** The logical labels of the panels' signals, or of all signals where no panel says. */
  async getTagKeys(options?: DataSourceGetTagKeysOptions<PDQuery>): Promise<MetricFindValue[]> {
    const { signals } = await this.getCatalog();
    const asked = new Set(options?.queries?.map((query) => query.signal).filter(Boolean));
    const relevant = signals.filter(({ id }) => asked.has(id));
    const labels = (relevant.length > 0 ? relevant : signals).flatMap((signal) => signal.labels);
    return [...new Set(labels)].sort().map((text) => ({ text }));
  }

  async getTagValues({ key, filters, queries }: DataSourceGetTagValuesOptions<PDQuery>): Promise<MetricFindValue[]> {
    const signals = new Set(queries?.map((query) => query.signal).filter(Boolean));
    const values = await this.getLabelValues(key, {
      signal: signals.size === 1 ? [...signals][0] : undefined,
      filters: filters.filter((filter) => filter.key !== '').map(fromAdHocFilter),
    });
    return values.map((text) => ({ text }));
  }

  getGroupByKeys(options?: DataSourceGetTagKeysOptions<PDQuery>): Promise<MetricFindValue[]> {
    return this.getTagKeys(options);
  }

  /** Explore: the label matchers survive the change from Prometheus or Loki to this data source. */
  async importFromAbstractQueries(queries: AbstractQuery[]): Promise<PDQuery[]> {
    return queries.map(({ refId, labelMatchers }) => ({
      ...migrateQuery({ refId }),
      filters: labelMatchers
        .filter(({ name }) => name !== '__name__')
        .map(({ name, value, operator }) => ({
          label: LOGICAL_LABELS[name] ?? name,
          op: ABSTRACT_OPS[operator],
          values: [value],
        })),
    }));
  }

  /** Explore: a click on a label value narrows the query. */
  modifyQuery(query: PDQuery, action: { type: string; options?: Record<string, string> }): PDQuery {
    const { key, value } = action.options ?? {};
    const op = action.type === 'ADD_FILTER' ? '=' : action.type === 'ADD_FILTER_OUT' ? '!=' : undefined;
    if (!op || !key || value === undefined) {
      return query;
    }
    const complete = migrateQuery(query);
    const filter: LabelFilter = { label: key, op, values: [value] };
    return { ...complete, filters: [...complete.filters.filter(({ label }) => label !== key), filter] };
  }
}
