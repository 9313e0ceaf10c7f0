import { CoreApp } from '@grafana/data';

import type { PDQuery } from './types';

/** Whether a query is edited in the form of an alert rule. */
export function isAlerting(app?: CoreApp): boolean {
  return app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;
}

/** An alert looks at the newest value, which is noise where it is the rate between two samples. */
export const ALERT_DEFAULTS: Partial<PDQuery> = { rateMode: 'window', window: '1m' };
