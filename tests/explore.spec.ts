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

  test('keeps the questions on the way from Prometheus and back', async ({ explorePage, page, createDataSource }) => {
    const prometheus = await createDataSource({ type: 'prometheus', name: `Prometheus ${Date.now()}` });
    const datasource = { type: 'prometheus', uid: prometheus.uid };
    const queries = ['sum(up)', 'sum by (job) (rate(up[1m]))'].map((expr, index) => ({
      refId: 'AB'[index],
      datasource,
      expr,
      legendFormat: '{{job}}',
      range: true,
      editorMode: 'code',
    }));
    const panes = { a: { datasource: prometheus.uid, queries, range: { from: 'now-5m', to: 'now' } } };
    await page.goto(`/explore?schemaVersion=1&panes=${encodeURIComponent(JSON.stringify(panes))}`);

    await explorePage.datasource.set(dataSourceName);
    for (const { refId, expr } of queries) {
      const row = explorePage.getQueryEditorRow(refId);
      await expect(row.getByRole('textbox', { name: 'PromQL' })).toHaveValue(expr);
      await expect(row.getByRole('textbox', { name: 'Legend' })).toHaveValue('{{job}}');
    }

    await explorePage.datasource.set(prometheus.name);
    const asked = () => {
      const [pane] = Object.values<typeof panes.a>(JSON.parse(new URL(page.url()).searchParams.get('panes') ?? '{}'));
      return pane?.queries.map(({ refId, expr, legendFormat }) => ({ refId, expr, legendFormat }));
    };
    await expect.poll(asked).toEqual(queries.map(({ refId, expr, legendFormat }) => ({ refId, expr, legendFormat })));
  });
});
