import { expect, test } from '@grafana/plugin-e2e';

import { dataSourceName } from './dataSource';

test.describe('Explore', () => {
  test('draws an example of the help', async ({ explorePage, page }) => {
    await explorePage.datasource.set(dataSourceName);
    const row = explorePage.getQueryEditorRow('A');
    await row.getByRole('button', { name: 'Show data source help' }).click();
    await page.getByRole('button', { name: 'Time to first token, P99 by model' }).click();
    await expect(row.getByRole('combobox', { name: 'Signal', exact: true })).toHaveValue('TTFT');
    const answered = page.waitForResponse((response) => response.url().includes('/api/ds/query'));
    await page.getByTestId('data-testid RefreshPicker run button').first().click();
    const { results } = (await (await answered).json()) as { results: Record<string, { frames: unknown[] }> };
    expect(results.A.frames.length).toBeGreaterThan(0);
    await expect(explorePage.timeSeriesPanel.locator.locator('canvas').first()).toBeVisible();
  });
});
