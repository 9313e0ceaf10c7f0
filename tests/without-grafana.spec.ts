import { test } from '@playwright/test';

const reason =
  'there is nothing to test with: build the workbench (go tool mage build:command), or set GRAFANA_URL to a Grafana with this plugin';

test(reason, () => {
  test.skip(true, reason);
});
