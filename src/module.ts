import { DataSourcePlugin } from '@grafana/data';

import { ConfigEditor } from './components/ConfigEditor';
import { QueryEditor } from './components/QueryEditor/QueryEditor';
import { QueryEditorHelp } from './components/QueryEditorHelp';
import { DataSource } from './datasource';
import type { PDOptions, PDQuery, PDSecureOptions } from './types';

export const plugin = new DataSourcePlugin<DataSource, PDQuery, PDOptions, PDSecureOptions>(DataSource)
  .setConfigEditor(ConfigEditor)
  .setQueryEditor(QueryEditor)
  .setQueryEditorHelp(QueryEditorHelp);
