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

  test('saves what the form shows of a query that nobody touched', async ({ alertRuleEditPage, page }) => {
    const title = `PD Monitor e2e ${Date.now()}`;
    const { uid } = await (await page.request.post('/api/folders', { data: { title } })).json();
    try {
      await alertRuleEditPage.alertRuleNameField.fill(title);
      const row = await alertRuleEditPage.getQueryRow('A');
      await row.datasource.set(dataSourceName);
      await expect(row.locator.getByRole('group', { name: 'Compiled PromQL' })).toContainText('rate(');

      await page.getByRole('button', { name: 'Select folder' }).click();
      await page.keyboard.type(title);
      await page.getByText(title, { exact: true }).last().click();
      await page.getByRole('button', { name: 'New evaluation group' }).click();
      await page.getByRole('dialog').getByRole('textbox').first().fill('e2e');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByTestId('contact-point-picker').getByRole('combobox').click();
      await page.keyboard.press('Enter');
      await page.getByTestId('save-rule').click();

      const saved = async () => {
        const groups = await (await page.request.get(`/api/ruler/grafana/api/v1/rules/${uid}`)).json();
        return groups[title]?.[0].rules[0].grafana_alert.data[0].model;
      };
      await expect.poll(saved).toMatchObject({ signal: 'prefill_request_rate', rateMode: 'window', window: '1m' });
    } finally {
      await page.request.delete(`/api/folders/${uid}?forceDeleteRules=true`);
    }
  });
});
