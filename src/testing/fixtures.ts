import type { DataSourceInstanceSettings, ScopedVars, TypedVariableModel } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';

import type { Catalog, Compiled, PDOptions, Signal } from '../types';

export interface FakeVariable {
  value: string | string[];
  multi?: boolean;
}

/** Dashboard variables as Grafana's template service replaces them, formatter functions included. */
export function fakeTemplateSrv(variables: Record<string, FakeVariable> = {}): TemplateSrv {
  const pattern = /\$\{(\w+)\}|\$(\w+)/g;
  return {
    getVariables: () => Object.keys(variables).map((name) => ({ name, type: 'query' }) as TypedVariableModel),
    containsTemplate: (text?: string) => [...(text ?? '').matchAll(pattern)].some((m) => (m[1] ?? m[2]) in variables),
    updateTimeRange: () => undefined,
    replace: (text = '', scopedVars?: ScopedVars, format?: string | Function) =>
      text.replace(pattern, (whole: string, braced?: string, plain?: string) => {
        const name = braced ?? plain ?? '';
        const variable = variables[name];
        const value: unknown = scopedVars?.[name]?.value ?? variable?.value;
        if (value === undefined) {
          return whole;
        }
        if (typeof format === 'function') {
          return String(format(value, { name, type: 'query', multi: variable?.multi ?? false, includeAll: false }));
        }
        return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
      }),
  };
}

export function instanceSettings(jsonData: PDOptions = {}): DataSourceInstanceSettings<PDOptions> {
  return {
    id: 1,
    uid: 'pd',
    type: 'ptd-pdmonitor-datasource',
    name: 'PD Monitor',
    access: 'proxy',
    readOnly: false,
    jsonData,
    meta: {} as DataSourceInstanceSettings['meta'],
  };
}

function signal(fields: Partial<Signal> & Pick<Signal, 'id' | 'title' | 'kind'>): Signal {
  return {
    titleZh: '',
    noteZh: '',
    meaning: `What ${fields.title} means.`,
    group: 'Throughput',
    level: 'request',
    unit: 'reqps',
    stats: [],
    roles: [],
    labels: ['model', 'instance'],
    systems: ['vllm', 'sglang'],
    caution: '',
    perRequestSize: false,
    available: true,
    reason: '',
    ...fields,
  };
}

export const catalog: Catalog = {
  systems: ['vllm', 'sglang', 'flagcx'],
  unseen: '',
  bindings: [
    { signal: 'prefill_request_rate', system: 'vllm', metrics: ['vllm:request_success_total'], role: 'prefill' },
    { signal: 'decode_request_rate', system: 'vllm', metrics: ['vllm:request_success_total'], role: 'decode' },
    { signal: 'ttft', system: 'sglang', metrics: ['sglang:time_to_first_token_seconds'], role: 'decode' },
    { signal: 'ttft', system: 'vllm', metrics: ['vllm:time_to_first_token_seconds'], role: '' },
    { signal: 'requests_running', system: 'vllm', metrics: ['vllm:num_requests_running'], role: '' },
  ],
  signals: [
    signal({ id: 'prefill_request_rate', title: 'Prefill req/s', titleZh: '预填充请求速率', kind: 'rate' }),
    signal({ id: 'decode_request_rate', title: 'Decode req/s', kind: 'rate' }),
    signal({ id: 'kv_transfer_request_rate', title: 'KV transfer req/s', kind: 'rate', perRequestSize: true }),
    signal({
      id: 'ttft',
      title: 'TTFT',
      kind: 'distribution',
      group: 'Latency',
      unit: 's',
      stats: ['quantile', 'mean', 'rate', 'under', 'heatmap'],
      roles: ['prefill', 'decode'],
      labels: ['model', 'instance', 'priority'],
    }),
    signal({
      id: 'requests_running',
      title: 'Running',
      kind: 'gauge',
      group: 'Queues',
      unit: 'short',
      roles: ['prefill', 'decode'],
      systems: ['vllm'],
    }),
    signal({
      id: 'kv_transfer_latency',
      title: 'KV transfer time',
      kind: 'distribution',
      group: 'PD transfer',
      unit: 's',
      stats: ['quantile', 'mean', 'rate'],
      systems: ['flagcx'],
      available: false,
      reason: 'set FLAGCX_METRICS=1',
    }),
  ],
};

export const compiled: Compiled = {
  promql: ['sum by (model_name) (rate(vllm:request_success_total[4s]))'],
  legend: '{{model}}',
  unit: 'reqps',
  window: '4s',
  explanation: ['Counts requests whose prefill finished.'],
  notices: [{ code: 'older-name', severity: 'warning', text: 'An older name was used.' }],
};
