import { expect, test } from '@grafana/plugin-e2e';

import { dataSourceName } from './dataSource';

test.describe('query editor', () => {
  test.beforeEach(async ({ panelEditPage }) => {
    await panelEditPage.datasource.set(dataSourceName);
  });

  test('opens with a query that works', async ({ panelEditPage, page }) => {
    const row = panelEditPage.getQueryEditorRow('A');
    await expect(row.getByRole('combobox', { name: 'Signal', exact: true })).toHaveValue('Prefill req/s');
    await expect(row.getByRole('group', { name: 'Compiled PromQL' })).toContainText('rate(');
    const answered = page.waitForResponse((response) => response.url().includes('/api/ds/query'));
    await page.getByTestId('data-testid RefreshPicker run button').first().click();
    expect((await answered).ok()).toBe(true);
  });

  test('shows the controls of a distribution and runs on a choice', async ({ panelEditPage, page }) => {
    const row = panelEditPage.getQueryEditorRow('A');
    const signal = row.getByRole('combobox', { name: 'Signal', exact: true });
    await signal.click();
    await signal.fill('ttft');
    const request = panelEditPage.waitForQueryDataRequest();
    await page.getByRole('option', { name: /^TTFT/ }).first().click();
    expect((await request).postDataJSON().queries[0]).toMatchObject({ signal: 'ttft', stat: 'quantile' });
    const statistic = row.getByRole('combobox', { name: 'Statistic' });
    await expect(statistic).toHaveValue('P99');
    await expect(row.getByRole('group', { name: 'Compiled PromQL' })).toContainText('histogram_quantile');
    await statistic.click();
    const heatmap = panelEditPage.waitForQueryDataRequest();
    await page.getByRole('option', { name: /^Heatmap/ }).click();
    expect((await heatmap).postDataJSON().queries[0]).toMatchObject({ signal: 'ttft', stat: 'heatmap' });
  });

  test('takes PromQL by hand and runs it on leaving the field', async ({ panelEditPage }) => {
    const row = panelEditPage.getQueryEditorRow('A');
    // The round input and its label lie over each other, in an order that differs between versions of Grafana.
    await expect(row.getByRole('group', { name: 'Compiled PromQL' })).toContainText('rate(');
    await row.getByRole('radio', { name: 'PromQL' }).check({ force: true });
    // It starts from what the builder means.
    await expect(row.getByRole('textbox', { name: 'PromQL' })).toHaveValue(/rate\(/);
    await row.getByRole('textbox', { name: 'PromQL' }).fill('up');
    const request = panelEditPage.waitForQueryDataRequest();
    await row.getByRole('textbox', { name: 'PromQL' }).blur();
    expect((await request).postDataJSON().queries[0]).toMatchObject({ queryType: 'promql', expr: 'up' });
  });
});
