import { setBackendSrv, type BackendSrv, type BackendSrvRequest } from '@grafana/runtime';
import { readFileSync } from 'fs';
import { join } from 'path';
import { defer } from 'rxjs';

import type { KVBytes, RequestSize } from '../types';

type Route = (request: BackendSrvRequest) => unknown;

/** Grafana's back end with some resources of the data source `pd`; others are not there. */
export function fakeBackend(routes: Record<string, Route>) {
  const fetch = jest.fn((request: BackendSrvRequest) =>
    defer(async () => {
      const route = routes[request.url.replace('/api/datasources/uid/pd/resources/', '')];
      if (!route) {
        throw { status: 404, statusText: 'Not Found', data: { message: 'Data source not found' } };
      }
      return { data: await route(request) };
    })
  );
  setBackendSrv({ fetch } as unknown as BackendSrv);
  return fetch;
}

/** How our back end refuses a call. */
export function refused(message: string): never {
  throw { status: 400, data: { error: { status: 400, source: 'downstream', message }, message } };
}

interface KnownAnswer {
  size: RequestSize;
  answer?: KVBytes;
  refusal?: string;
}

const kvBytes: KnownAnswer[] = JSON.parse(
  readFileSync(join(__dirname, '../../pkg/plugin/testdata/settings-page.json'), 'utf8')
);

/** `POST kv-bytes` for some sizes, with answers that a test of the server compares with its own. */
export function answerKVBytes({ data }: BackendSrvRequest): unknown {
  const text = JSON.stringify(sorted({ ...data, model: 'm' }));
  const known = kvBytes.find(({ size }) => JSON.stringify(sorted(size)) === text);
  return known?.answer ?? refused(known?.refusal ?? `model is unknown to this test: ${text}`);
}

function sorted(size: object): unknown {
  return Object.entries(size).sort(([a], [b]) => (a < b ? -1 : 1));
}
