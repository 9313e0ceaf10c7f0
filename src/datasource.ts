import {
  type AbstractQuery,
  type AdHocVariableFilter,
  type CoreApp,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type DataSourceGetTagKeysOptions,
  type DataSourceGetTagValuesOptions,
  type DataSourceInstanceSettings,
  type MetricFindValue,
  type ScopedVars,
  type TestDataSourceResponse,
} from '@grafana/data';
import { DataSourceWithBackend, getTemplateSrv, HealthStatus, type TemplateSrv } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { map, type Observable } from 'rxjs';

import { isAlerting } from './alerting';
import { annotationSupport } from './annotations';
import { exportQueries } from './exportQueries';
import { importQueries } from './importQueries';
import {
  DASHBOARD_VARIABLE,
  fromAdHocFilter,
  groupedBy,
  interpolateQuery,
  templatesOf,
  withoutSignal,
} from './interpolate';
import { DEFAULT_QUERY, migrateQuery, migrateVariableQuery } from './migrate';
import { describeQuery } from './names';
import { LOOK_AGAIN } from './lookAgain';
import { withNotice } from './notice';
import * as texts from './texts';
import type {
  Catalog,
  CompileRequest,
  Compiled,
  HealthDetails,
  LabelFilter,
  LabelValues,
  PDOptions,
  PDQuery,
  PDVariableQuery,
} from './types';
import { readersLanguage } from './texts/language';
import { utcOffsetSec } from './utcOffset';
import { PDVariableSupport } from './variables';

/** What a target reports depends on its start-up flags, so availability is asked for again now and then. */
const CATALOG_LIFETIME_MS = 60_000;

/** A graph of which nothing is known. */
export const DEFAULT_SPAN_MS = 3_600_000;
export const DEFAULT_POINTS = 1000;

/** Failures of these calls are shown beside the control that needed them, not as a toast. */
const QUIET = { showErrorAlert: false };

/** Go writes an empty list as null where nobody made one; the editors count on lists. */
function completeCatalog({ signals, systems, bindings, unseen = '' }: Partial<Catalog>): Catalog {
  return {
    unseen,
    bindings: bindings ?? [],
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

/** The signals that panels show, and whether some show something else. One that PromQL was made from is not asked for. */
function signalsOf(queries: PDQuery[] = []) {
  const migrated = queries.map(migrateQuery);
  return {
    asked: new Set(migrated.filter(({ queryType }) => queryType === 'signal').map(({ signal }) => signal)),
    hasOthers: migrated.some(({ queryType }) => queryType === 'promql'),
  };
}

export class DataSource extends DataSourceWithBackend<PDQuery, PDOptions> {
  readonly scrapeInterval: string;
  private catalog?: { fetched: number; promise: Promise<Catalog> };
  /** The last that was compiled, for its time range: the windows of rates follow the step. */
  private asked?: CompileRequest;

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

  /** The offset, the reader's language and a dashboard's grouping belong to a request, not to a query: they are sent and never saved. */
  query(request: DataQueryRequest<PDQuery>): Observable<DataQueryResponse> {
    const { groupByKeys = [] } = request;
    const asked = { utcOffsetSec: utcOffsetSec(request), ...readersLanguage };
    const targets = request.targets.map((target) => ({ ...groupedBy(migrateQuery(target), groupByKeys), ...asked }));
    const answers = super.query({ ...request, targets });
    const ungrouped = targets.filter(({ queryType }) => queryType !== 'signal').map(({ refId }) => refId);
    if (groupByKeys.length === 0 || ungrouped.length === 0) {
      return answers;
    }
    const text = texts.query.groupByNotApplied(groupByKeys);
    return answers.pipe(map((answer) => withNotice(answer, ungrouped, { severity: 'warning', text })));
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
    this.asked = request;
    const body = { ...request, query: { ...request.query, ...readersLanguage } };
    const answer = await this.postResource<Compiled>('compile', body, { ...QUIET, abortSignal });
    return {
      ...answer,
      promql: answer.promql ?? [],
      explanation: answer.explanation ?? [],
      notices: answer.notices ?? [],
    };
  }

  private grid(): Omit<CompileRequest, 'query'> {
    const to = Date.now();
    const span = this.asked ? this.asked.to - this.asked.from : DEFAULT_SPAN_MS;
    const { maxDataPoints, intervalMs } = this.asked ?? {
      maxDataPoints: DEFAULT_POINTS,
      intervalMs: DEFAULT_SPAN_MS / DEFAULT_POINTS,
    };
    return { from: to - span, to, maxDataPoints, intervalMs };
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
    const { values } = await this.getResource<Partial<LabelValues>>(path, params, QUIET);
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
    const { asked, hasOthers } = signalsOf(options?.queries);
    const relevant = signals.filter(({ id }) => asked.has(id));
    // An expression may read any metric.
    const labels = (relevant.length > 0 && !hasOthers ? relevant : signals).flatMap((signal) => signal.labels);
    return [...new Set(labels)].sort().map((text) => ({ text }));
  }

  async getTagValues({ key, filters, queries }: DataSourceGetTagValuesOptions<PDQuery>): Promise<MetricFindValue[]> {
    const { asked, hasOthers } = signalsOf(queries);
    const values = await this.getLabelValues(key, {
      signal: asked.size === 1 && !hasOthers ? [...asked][0] : undefined,
      filters: filters.filter((filter) => filter.key !== '').map(fromAdHocFilter),
    });
    return values.map((text) => ({ text }));
  }

  getGroupByKeys(options?: DataSourceGetTagKeysOptions<PDQuery>): Promise<MetricFindValue[]> {
    return this.getTagKeys(options);
  }

  /**
   * A change of the data source keeps the question. Grafana prefers `importFromAbstractQueries` where there is one, which
   * is shown label matchers alone: an expression would not survive.
   */
  importQueries(queries: DataQuery[], origin: DataSourceApi): Promise<PDQuery[]> {
    return importQueries(queries, origin, this.type);
  }

  /** And so does the way back, to Prometheus with the PromQL as it is compiled at present. */
  exportToAbstractQueries(queries: PDQuery[]): Promise<AbstractQuery[]> {
    return exportQueries(queries, (query) =>
      this.compile({ ...this.grid(), query: this.applyTemplateVariables(query, {}) })
    );
  }

  /** Explore: a click on a label value narrows the query. */
  modifyQuery(query: PDQuery, action: { type: string; options?: Record<string, string> }): PDQuery {
    const { key, value } = action.options ?? {};
    const op = action.type === 'ADD_FILTER' ? '=' : action.type === 'ADD_FILTER_OUT' ? '!=' : undefined;
    if (!op || !key || value === undefined) {
      return query;
    }
    const saved = migrateQuery(query);
    const complete = saved.queryType === 'promql' ? withoutSignal(saved) : saved;
    const filter: LabelFilter = { label: key, op, values: [value] };
    return { ...complete, filters: [...complete.filters.filter(({ label }) => label !== key), filter] };
  }
}
