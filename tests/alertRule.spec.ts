import { expect, test } from '@grafana/plugin-e2e';

import { dataSourceName } from './dataSource';

test.describe('alert rule', () => {
  test('previews prefill req/s by model', async ({ alertRuleEditPage, page }) => {
    await alertRuleEditPage.enableAdvancedQueryMode();
    const row = await alertRuleEditPage.getQueryRow('A');
    await row.datasource.set(dataSourceName);
    await expect(row.locator.getByRole('combobox', { name: 'Signal', exact: true })).toHaveValue('Prefill req/s');
    await expect(row.locator.getByRole('group', { name: 'Compiled PromQL' })).toContainText('rate(');
    await expect(alertRuleEditPage.evaluate()).toBeOK();
    await expect(page.getByText(/series|Normal|Firing/).first()).toBeVisible();
  });
});
