import { DEFAULT_QUERY, migrateQuery, migrateVariableQuery } from './migrate';
import type { PDQuery } from './types';

/** What may be stored: JSON of any age, or written by hand. */
function saved(json: Record<string, unknown>) {
  return { refId: 'A', ...json } as Partial<PDQuery> & { refId: string };
}

describe('migrateQuery', () => {
  it('completes an empty query to the default one', () => {
    expect(migrateQuery(saved({}))).toEqual({ refId: 'A', ...DEFAULT_QUERY });
  });

  it('completes a query from before the schema had a version', () => {
    const query = migrateQuery(saved({ signal: 'ttft', quantile: 0.95, groupBy: 'model' }));
    expect(query).toMatchObject({
      schemaVersion: 1,
      queryType: 'signal',
      signal: 'ttft',
      stat: '',
      quantile: 0.95,
      groupBy: ['model'],
      filters: [],
      system: 'auto',
      format: 'time_series',
    });
  });

  it('does not add a grouping to a query that asks for the total', () => {
    expect(migrateQuery(saved({ signal: 'ttft' })).groupBy).toEqual([]);
  });

  it('takes an expression without a signal as PromQL', () => {
    expect(migrateQuery(saved({ expr: 'up' }))).toMatchObject({ queryType: 'promql', signal: '', expr: 'up' });
  });

  it('reads filters in the spelling of ad hoc filters and drops what is none', () => {
    const filters = [{ key: 'model', operator: '!=', value: 'a/b' }, 'nonsense', { op: '=' }];
    expect(migrateQuery(saved({ filters })).filters).toEqual([{ label: 'model', op: '!=', values: ['a/b'] }]);
  });

  it('replaces fields of a wrong type and keeps those of Grafana', () => {
    const query = migrateQuery(
      saved({ signal: 'ttft', stat: 'median', groupBy: null, window: 5, hide: true, extra: 1 })
    );
    expect(query).toMatchObject({ stat: '', groupBy: [], window: '', hide: true, extra: 1 });
  });

  it('leaves a newer schema version for the server to refuse', () => {
    expect(migrateQuery(saved({ schemaVersion: 7 })).schemaVersion).toBe(7);
  });

  it('changes nothing the second time', () => {
    const once = migrateQuery(saved({ signal: 'itl', filters: [{ label: 'model', values: ['x'] }] }));
    expect(migrateQuery(once)).toEqual(once);
  });

  it('keeps a role that is a dashboard variable', () => {
    expect(migrateQuery(saved({ signal: 'itl', role: '$role' })).role).toBe('$role');
    expect(migrateQuery(saved({ signal: 'itl', role: 'router' })).role).toBe('');
  });
});

it('keeps an inventory', () => {
  const inventory = { queryType: 'inventory', inventory: 'systems' };
  expect(migrateQuery(saved(inventory))).toMatchObject(inventory);
});

describe('bytesPerRequest', () => {
  it('keeps a number and a dashboard variable, and takes nothing for nothing', () => {
    const migrated = (bytesPerRequest: number | string) =>
      migrateQuery(saved({ signal: 'kv_transfer_request_rate', bytesPerRequest })).bytesPerRequest;
    expect(migrated(2684354560)).toBe(2684354560);
    expect(migrated('$bytes')).toBe('$bytes');
    expect(migrated('')).toBe(0);
  });
});

describe('migrateVariableQuery', () => {
  it.each([
    ['models', 'model'],
    ['instance', 'instance'],
    ['label_values(engine)', 'engine'],
    ['label_values(vllm:num_requests_running, model_name)', 'model_name'],
    ['', 'model'],
    [undefined, 'model'],
  ])('reads %p as the label %p', (query, label) => {
    expect(migrateVariableQuery(query).label).toBe(label);
  });

  it('completes a partial query', () => {
    expect(migrateVariableQuery({ label: 'pod', role: 'decode' })).toEqual({
      refId: 'PDVariableQuery',
      filters: [],
      label: 'pod',
      signal: '',
      role: 'decode',
      system: 'auto',
    });
  });
});
