import { CoreApp } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import type { DataSource } from 'plugin/datasource';
import { migrateQuery } from 'plugin/migrate';
import type { PDQuery } from 'plugin/types';

/** The queries in the address, else the one that a new panel starts with. */
export function readQueries(datasource: DataSource): PDQuery[] {
  const text = locationService.getSearch().get('queries');
  const first = () => [migrateQuery({ ...datasource.getDefaultQuery(CoreApp.Explore), refId: 'A' })];
  if (text === null) {
    return first();
  }
  try {
    const saved: unknown = JSON.parse(text);
    return Array.isArray(saved) && saved.length > 0
      ? saved.map((query: Partial<PDQuery>, index) => migrateQuery({ ...query, refId: refIdAt(index) }))
      : first();
  } catch {
    // An address that was cut off or edited by hand is no reason for an empty page.
    return first();
  }
}

export function writeQueries(queries: PDQuery[]): string {
  return JSON.stringify(queries.map(({ datasource: _, ...query }) => query));
}

function refIdAt(index: number): string {
  return index < 26 ? String.fromCharCode('A'.charCodeAt(0) + index) : `Q${index}`;
}

/** The first letter that is free. */
export function nextRefId(queries: PDQuery[]): string {
  const used = new Set(queries.map(({ refId }) => refId));
  for (let index = 0; ; index++) {
    if (!used.has(refIdAt(index))) {
      return refIdAt(index);
    }
  }
}
