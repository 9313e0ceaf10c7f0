import pluginJson from '../plugin.json';

/** The name of a provisioned data source of this type that has data, as provisioning/ of this repository makes it. */
export const dataSourceName = process.env.DATA_SOURCE_NAME || pluginJson.name;
