import { expect, test } from '@grafana/plugin-e2e';

import pluginJson from '../plugin.json';
import { dataSourceName } from './dataSource';

const dashboards = pluginJson.includes.filter(({ type }) => type === 'dashboard').map(({ name }) => name);

test.describe("the data source's Dashboards tab", () => {
  test('offers every dashboard and imports those that are missing', async ({ page, request }) => {
    test.slow();
    const { uid } = (await (await request.get(`/api/datasources/name/${dataSourceName}`)).json()) as { uid: string };
    const stored = (await (await request.get('/api/search?type=dash-db')).json()) as Array<{ title: string }>;
    await page.goto(`/connections/datasources/edit/${uid}/dashboards`);
    for (const name of dashboards) {
      await expect(page.getByRole('row', { name })).toBeVisible();
    }
    const missing = dashboards.filter((name) => !stored.some(({ title }) => title === name));
    test.skip(missing.length === 0, 'All dashboards are in this Grafana already.');
    for (const name of missing) {
      const row = page.getByRole('row', { name });
      await row.getByRole('button', { name: 'Import', exact: true }).click();
      await expect(row.getByRole('link', { name })).toBeVisible();
    }

    for (const name of missing) {
      await page.goto(`/connections/datasources/edit/${uid}/dashboards`);
      await page.getByRole('row', { name }).getByRole('link', { name }).click();
      await expect(page.getByTestId(/^data-testid Panel header/).first()).toBeVisible();
      await expect(page.getByTestId('data-testid dashboard controls').getByText(dataSourceName)).toBeVisible();
      await expect(page.locator('canvas').or(page.getByRole('gridcell')).first()).toBeVisible();
    }
  });
});
