import { expect, test } from '@grafana/plugin-e2e';

import pluginJson from '../plugin.json';
import { dataSourceName } from './dataSource';

const dashboards = pluginJson.includes.filter(({ type }) => type === 'dashboard').map(({ name }) => name);

test.describe("the data source's Dashboards tab", () => {
  test('offers every dashboard and imports one', async ({ page, request }) => {
    const { uid } = (await (await request.get(`/api/datasources/name/${dataSourceName}`)).json()) as { uid: string };
    const stored = (await (await request.get('/api/search?type=dash-db')).json()) as Array<{ title: string }>;
    await page.goto(`/connections/datasources/edit/${uid}/dashboards`);
    for (const name of dashboards) {
      await expect(page.getByRole('row', { name })).toBeVisible();
    }
    const missing = dashboards.find((name) => !stored.some(({ title }) => title === name));
    test.skip(missing === undefined, 'All dashboards are in this Grafana already.');
    await page
      .getByRole('row', { name: missing })
      .getByRole('button', { name: /import/i })
      .click();
    await expect(page.getByText(/Dashboard imported/i)).toBeVisible();
  });
});
