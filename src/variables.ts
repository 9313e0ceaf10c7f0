import { CustomVariableSupport, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { from, map, type Observable } from 'rxjs';

import { VariableQueryEditor } from './components/VariableQueryEditor';
import type { DataSource } from './datasource';
import type { PDVariableQuery } from './types';

export class PDVariableSupport extends CustomVariableSupport<DataSource, PDVariableQuery> {
  editor = VariableQueryEditor;

  constructor(private readonly datasource: DataSource) {
    super();
  }

  query(request: DataQueryRequest<PDVariableQuery>): Observable<DataQueryResponse> {
    return from(this.datasource.metricFindQuery(request.targets[0], { scopedVars: request.scopedVars })).pipe(
      map((data) => ({ data }))
    );
  }
}
