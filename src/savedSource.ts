import { getBackendSrv, type BackendSrvRequest } from '@grafana/runtime';
import { lastValueFrom } from 'rxjs';

import { LOOK_AGAIN } from './lookAgain';
import type { Discovery, KVBytes, LabelValues, PDOptions, Preset, Presets, RequestSize, ServedModels } from './types';

/**
 * The back end of a data source that is being configured, as it was last saved. A new one is not there yet: every
 * call may fail, and whoever makes it says so beside the control that needed it.
 */
export class SavedSource {
  private readonly kept = new Map<string, Promise<unknown>>();

  /**
   * The version is counted up with every save, after which answers may differ. Without a URL there is no server to ask
   * anything about.
   */
  constructor(
    private readonly uid: string,
    private readonly version = 0,
    readonly hasURL = true
  ) {}

  /** Tells this state of the data source from others. */
  get key(): string {
    return `${this.uid} ${this.version}`;
  }

  /** The size need not be saved. Rejects with the back end's own words where the size cannot be worked out. */
  async kvBytes(size: RequestSize, abortSignal?: AbortSignal): Promise<KVBytes> {
    const answer = await this.ask<KVBytes>('kv-bytes', { method: 'POST', data: size, abortSignal });
    return { ...answer, groups: answer.groups ?? [], notices: answer.notices ?? [] };
  }

  /** The models whose config is known. */
  async presets(): Promise<Preset[]> {
    return (await this.once<Partial<Presets>>('kv-presets')).presets ?? [];
  }

  async requestSizes(abortSignal?: AbortSignal): Promise<ServedModels> {
    const { models, notices } = await this.ask<Partial<ServedModels>>('request-sizes', { abortSignal });
    return { models: models ?? [], notices: notices ?? [] };
  }

  /** What the server holds, with the engines that matchers fit which need not be saved; `isAgain` looks anew. */
  async discovery(roles: PDOptions['roles'] = {}, isAgain = false, abortSignal?: AbortSignal): Promise<Discovery> {
    const params = { prefill: roles.prefill ?? '', decode: roles.decode ?? '', ...(isAgain && LOOK_AGAIN) };
    const answer = await this.ask<Discovery>('discovery', { params, abortSignal });
    return { ...answer, systems: answer.systems ?? [], matchers: answer.matchers ?? {} };
  }

  /** The models that the server's engines serve. */
  async models(): Promise<string[]> {
    return this.hasURL ? ((await this.once<Partial<LabelValues>>('labels/model/values')).values ?? []) : [];
  }

  /** Asks for what many controls need; a failure is not kept. */
  private once<T>(path: string): Promise<T> {
    const kept = this.kept.get(path);
    if (kept) {
      return kept as Promise<T>;
    }
    const asked = this.ask<T>(path);
    this.kept.set(path, asked);
    asked.catch(() => this.kept.delete(path));
    return asked;
  }

  private async ask<T>(path: string, options: Partial<BackendSrvRequest> = {}): Promise<T> {
    const url = `/api/datasources/uid/${encodeURIComponent(this.uid)}/resources/${path}`;
    const { data } = await lastValueFrom(
      getBackendSrv().fetch<T>({ method: 'GET', showErrorAlert: false, ...options, url })
    );
    return data;
  }
}
