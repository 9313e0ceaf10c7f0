import { getFieldDisplayValues, type FieldDisplay, type ReduceDataOptions } from '@grafana/data';
import { config } from '@grafana/runtime';

import { templates } from '../runtime/templates';
import type { VisualizationProps } from './types';

/** One number for each series, as stat, gauge and bar gauge show them. */
export function displayValues(
  { frames, fieldConfig, options }: VisualizationProps,
  sparkline: boolean
): FieldDisplay[] {
  const reduce = (options.reduceOptions ?? {}) as Partial<ReduceDataOptions>;
  return getFieldDisplayValues({
    data: frames,
    fieldConfig,
    reduceOptions: {
      values: false,
      fields: '',
      ...reduce,
      calcs: reduce.calcs?.length ? reduce.calcs : ['lastNotNull'],
    },
    replaceVariables: (text, vars, format) => templates.replace(text, vars, format),
    sparkline,
    theme: config.theme2,
    timeZone: 'browser',
  });
}
