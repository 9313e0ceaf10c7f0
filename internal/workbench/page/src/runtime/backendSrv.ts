import type { BackendSrv, BackendSrvRequest, FetchError, FetchResponse } from '@grafana/runtime';
import { lastValueFrom, Observable } from 'rxjs';

function address({ url, params }: BackendSrvRequest): string {
  const entries = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(
    entries.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]))
  ).toString();
  const path = url.startsWith('/') ? url : `/${url}`;
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path;
}

async function send<T>(options: BackendSrvRequest, signal: AbortSignal): Promise<FetchResponse<T>> {
  let response: Response;
  try {
    response = await fetch(address(options), {
      method: options.method ?? 'GET',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...options.headers },
      body: options.data === undefined ? undefined : JSON.stringify(options.data),
      signal,
    });
  } catch (cause) {
    const cancelled = signal.aborted;
    const message = cancelled ? 'Cancelled' : 'pdmonitor does not answer. Is it still running?';
    throw {
      status: -1,
      statusText: message,
      data: { message },
      message,
      cancelled,
      config: options,
    } satisfies FetchError;
  }
  const { status, statusText, ok, headers, redirected, type, url } = response;
  const text = await response.text();
  let data;
  try {
    data = text === '' ? undefined : JSON.parse(text);
  } catch {
    data = { message: text };
  }
  if (!ok) {
    throw { status, statusText, data, message: data?.message, config: options } satisfies FetchError;
  }
  return { data, status, statusText, ok, headers, redirected, type, url, config: options };
}

/** Grafana's client for its own API, as far as data sources use it. */
class Backend implements Pick<BackendSrv, 'fetch' | 'get' | 'post' | 'put'> {
  fetch<T>(options: BackendSrvRequest): Observable<FetchResponse<T>> {
    return new Observable((subscriber) => {
      const controller = new AbortController();
      const abort = () => controller.abort();
      options.abortSignal?.addEventListener('abort', abort);
      send<T>(options, controller.signal).then(
        (response) => {
          subscriber.next(response);
          subscriber.complete();
        },
        (error: unknown) => subscriber.error(error)
      );
      return () => {
        options.abortSignal?.removeEventListener('abort', abort);
        abort();
      };
    });
  }

  private async data<T>(options: BackendSrvRequest): Promise<T> {
    return (await lastValueFrom(this.fetch<T>(options))).data;
  }

  get<T>(url: string, params?: Record<string, unknown>): Promise<T> {
    return this.data<T>({ url, params });
  }

  post<T>(url: string, data?: unknown): Promise<T> {
    return this.data<T>({ url, method: 'POST', data });
  }

  put<T>(url: string, data?: unknown): Promise<T> {
    return this.data<T>({ url, method: 'PUT', data });
  }
}

export const backend = new Backend();
