import { expect, test } from '@grafana/plugin-e2e';

import pluginJson from '../plugin.json';
import { dataSourceName } from './dataSource';

const dashboards = pluginJson.includes.filter(({ type }) => type === 'dashboard').map(({ name }) => name);

test.describe("the data source's Dashboards tab", () => {
  test('offers every dashboard and imports one', async ({ page, request }) => {
    const source = (await (await request.get(`/api/datasources/name/${dataSourceName}`)).json()) as { uid: string };
    await page.goto(`/connections/datasources/edit/${source.uid}/dashboards`);
    for (const name of dashboards) {
      await expect(page.getByRole('row', { name })).toBeVisible();
    }
    const first = page.getByRole('row', { name: dashboards[0] });
    await first.getByRole('button', { name: /import/i }).click();
    await expect(page.getByText(/Dashboard Imported/)).toBeVisible();
  });
});
