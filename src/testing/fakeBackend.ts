import { setBackendSrv, type BackendSrv, type BackendSrvRequest } from '@grafana/runtime';
import { defer } from 'rxjs';

import kvBytes from './kv-bytes.json';

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

/** `POST kv-bytes` for the sizes of kv-bytes.json, which a test of the server compares with its answers. */
export function answerKVBytes({ data }: BackendSrvRequest): unknown {
  const text = JSON.stringify(sorted({ ...data, model: 'm' }));
  const known = kvBytes.find(({ size }) => JSON.stringify(sorted(size)) === text);
  return known?.answer ?? refused(known?.refusal ?? `model is unknown to this test: ${text}`);
}

function sorted(size: object): unknown {
  return Object.entries(size).sort(([a], [b]) => (a < b ? -1 : 1));
}
