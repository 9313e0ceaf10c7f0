import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { dashboards } from './dashboards';
import { expect, shown, test } from './workbench';

/** What Grafana's own components do, one element at a time, so that the same rule still holds for ours. */
const OF_GRAFANA = [
  // The label of a series is called "All series selected", whatever its text.
  { rule: 'label-content-name-mismatch', element: /viz-layout-legend|LegendLabel/ },
  // The name of a column is escaped as for HTML: "req&#x2F;s".
  { rule: 'label-content-name-mismatch', element: /Toggle SortBy|Sort by column/ },
  // The rows of a table are scrolled by the mouse alone.
  { rule: 'scrollable-region-focusable', element: /table body/ },
  // The field of a MultiCombobox has the attributes of two components.
  { rule: 'aria-allowed-attr', element: /multi-combobox/ },
];

/** What hinders people much or wholly, as a list to read. */
async function barriers(page: Page, within = 'body'): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, html }) => ({ rule: id, help, element: target.join(' '), html }))
    )
    .filter((found) => !OF_GRAFANA.some(({ rule, element }) => rule === found.rule && element.test(found.element)))
    .map(({ rule, help, element, html }) => `${rule}: ${help}: ${element}: ${html}`);
}

for (const theme of ['light', 'dark'] as const) {
  test.describe(`no serious barrier in the ${theme} theme`, () => {
    test('on the query page', async ({ page, workbench }) => {
      await page.goto(`/explore?theme=${theme}`);
      await workbench.pick('TTFT', 'TTFT');
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByRole('button', { name: /^Rate and window/ }).click();
      await expect(workbench.panel('Result').locator('canvas')).toBeVisible();
      await workbench.compiled.getByRole('button', { name: 'How this is computed' }).click();
      expect(await barriers(page)).toEqual([]);

      await page.getByRole('combobox', { name: 'Signal', exact: true }).click();
      await expect(page.getByRole('listbox')).toBeVisible();
      expect(await barriers(page, '[role="listbox"]')).toEqual([]);
    });

    test('on the settings page', async ({ page }) => {
      await page.goto(`/settings?theme=${theme}`);
      await page.getByRole('button', { name: 'Add model' }).click();
      await page.getByRole('button', { name: /Additional settings/ }).click();
      await expect(page.getByRole('region', { name: 'What was found' })).toBeVisible();
      await expect(page.getByRole('region', { name: 'Models found on this server' })).toBeVisible();
      expect(await barriers(page)).toEqual([]);
    });

    for (const { uid, title } of dashboards) {
      test(`on the dashboard ${title}`, async ({ page, workbench }) => {
        // Only what is in sight is drawn, so all is.
        await page.setViewportSize({ width: 1440, height: 6000 });
        await page.goto(`/d/${uid}?theme=${theme}&refresh=`);
        await expect(workbench.panels.first()).toBeVisible();
        await workbench.unfold();
        for (const panel of await workbench.panels.all()) {
          await expect(shown(panel)).toBeVisible();
        }
        expect(await barriers(page)).toEqual([]);
      });
    }
  });
}
