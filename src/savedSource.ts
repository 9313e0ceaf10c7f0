import { getBackendSrv, type BackendSrvRequest } from '@grafana/runtime';
import { lastValueFrom } from 'rxjs';

import type { KVBytes, Preset, RequestSize } from './types';

/**
 * The back end of a data source that is being configured, as it was last saved. A new one is not there yet: every
 * call may fail, and whoever makes it says so beside the control that needed it.
 */
export class SavedSource {
  private served?: Promise<string[]>;

  constructor(private readonly uid: string) {}

  /** The size need not be saved. Rejects with the back end's own words where the size cannot be worked out. */
  async kvBytes(size: RequestSize, abortSignal?: AbortSignal): Promise<KVBytes> {
    const answer = await this.ask<KVBytes>('kv-bytes', { method: 'POST', data: size, abortSignal });
    return { ...answer, groups: answer.groups ?? [], notices: answer.notices ?? [] };
  }

  async presets(abortSignal?: AbortSignal): Promise<Preset[]> {
    return (await this.ask<{ presets: Preset[] | null }>('kv-presets', { abortSignal })).presets ?? [];
  }

  /** The models that the server's engines serve; a list that was found is kept, as it is asked for on each keystroke. */
  models(): Promise<string[]> {
    this.served ??= this.ask<{ values: string[] | null }>('labels/model/values').then(
      ({ values }) => values ?? [],
      (error: unknown) => {
        this.served = undefined;
        throw error;
      }
    );
    return this.served;
  }

  private async ask<T>(path: string, options: Partial<BackendSrvRequest> = {}): Promise<T> {
    const url = `/api/datasources/uid/${encodeURIComponent(this.uid)}/resources/${path}`;
    const { data } = await lastValueFrom(
      getBackendSrv().fetch<T>({ method: 'GET', showErrorAlert: false, ...options, url })
    );
    return data;
  }
}
