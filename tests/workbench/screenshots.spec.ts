import type { Page } from '@playwright/test';

import { expect, test } from './workbench';

/** Curves of five minutes fill the panels. */
const FILLED = 5 * 60_000;

test.describe('pictures for the README and the catalogue', () => {
  test.skip(!process.env.PDM_SCREENSHOTS, 'set PDM_SCREENSHOTS=1 to make the pictures anew');
  test.describe.configure({ mode: 'default', timeout: 2 * FILLED });
  test.use({ viewport: { width: 1600, height: 1000 } });

  test.beforeAll(async () => {
    test.setTimeout(2 * FILLED);
    await new Promise((resolve) => setTimeout(resolve, FILLED));
  });

  const save = (page: Page, name: string) => page.screenshot({ path: `src/img/${name}.png`, animations: 'disabled' });

  for (const [theme, name] of [
    ['dark', 'pd-overview'],
    ['light', 'pd-overview-light'],
  ]) {
    test(name, async ({ page, workbench }) => {
      await page.goto(`/d/pdmonitor-overview?theme=${theme}`);
      await expect(workbench.panel('Requests running').locator('canvas')).toBeVisible();
      await save(page, name);
    });
  }

  test('query-editor', async ({ page, workbench }) => {
    await page.goto('/explore?theme=dark');
    await workbench.pick('TTFT', 'TTFT');
    await workbench.choose('Statistic', 'P99');
    await workbench.compiled.getByRole('button', { name: 'How this is computed' }).click();
    await expect(workbench.panel('Result').getByRole('row', { name: /Llama/ }).first()).toBeVisible();
    await save(page, 'query-editor');
  });

  test('settings', async ({ page }) => {
    await page.goto('/settings?theme=dark');
    const found = page.getByRole('region', { name: 'What was found' });
    await expect(found.getByRole('row', { name: /^SGLang/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Models found on this server' })).toBeVisible();
    await found.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.mouse.wheel(0, -120);
    await save(page, 'settings');
  });
});
