import { getTemplateSrv } from '@grafana/runtime';
import type { ComboboxOption } from '@grafana/ui';

import * as texts from '../../texts';

/** The dashboard's variables as choices beside the real values. */
export function variableOptions(): ComboboxOption[] {
  return getTemplateSrv()
    .getVariables()
    .filter(({ type }) => type !== 'adhoc' && type !== 'datasource')
    .map(({ name }) => ({ value: `$${name}`, label: `$${name}`, group: texts.query.variables }));
}
