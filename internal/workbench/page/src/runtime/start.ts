import type { DataSourceApi, DataSourceInstanceSettings } from '@grafana/data';
import { setBackendSrv, setDataSourceSrv, setTemplateSrv, type BackendSrv, type DataSourceSrv } from '@grafana/runtime';
import { DataSource } from 'plugin/datasource';
import pluginJson from 'plugin/plugin.json';
import type { PDOptions } from 'plugin/types';

import { backend } from './backendSrv';
import { templates } from './templates';

interface FrontendSettings {
  defaultDatasource: string;
  datasources: Record<string, DataSourceInstanceSettings<PDOptions>>;
}

/** Puts in place what Grafana gives every plugin. Only the parts that data sources and their editors use are there. */
export function provideServices() {
  setBackendSrv(backend as unknown as BackendSrv);
  setTemplateSrv(templates);
}

/** The data source with the settings of the moment. */
export async function openDataSource(): Promise<DataSource> {
  const { datasources, defaultDatasource } = await backend.get<FrontendSettings>('/api/frontend/settings');
  const settings = datasources[defaultDatasource];
  const datasource = new DataSource({ ...settings, meta: { ...settings.meta, ...(pluginJson as object) } });
  // There is one data source, so every lookup ends at it, and none of another type is in any list.
  const lookup: Omit<DataSourceSrv, 'registerRuntimeDataSource'> = {
    get: () => Promise.resolve(datasource as unknown as DataSourceApi),
    getList: ({ type } = {}) => (type === undefined || type === datasource.type ? [settings] : []),
    getInstanceSettings: () => settings,
    reload: () => Promise.resolve(),
  };
  setDataSourceSrv(lookup as DataSourceSrv);
  return datasource;
}
