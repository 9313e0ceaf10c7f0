import type { Page } from '@playwright/test';

import { expect, test } from './workbench';

/** Curves of five minutes fill the panels. */
const FILLED = 5 * 60_000;

/** There is no hurry: nobody waits for these tests. */
const FILLING = { timeout: 60_000 };

test.describe('pictures for the README and the catalogue', () => {
  test.skip(!process.env.PDM_SCREENSHOTS, 'set PDM_SCREENSHOTS=1 to make the pictures anew');
  test.describe.configure({ mode: 'default', timeout: 2 * FILLED });
  test.use({ viewport: { width: 1600, height: 1000 } });

  test.beforeAll(async () => {
    test.setTimeout(2 * FILLED);
    await new Promise((resolve) => setTimeout(resolve, FILLED));
  });

  const save = async (page: Page, name: string) => {
    // A machine that makes pictures may have no Chinese font.
    await page.addStyleTag({ content: '[lang="zh"] { visibility: hidden; }' });
    await page.screenshot({ path: `src/img/${name}.png`, animations: 'disabled' });
  };

  for (const [theme, name] of [
    ['dark', 'pd-overview'],
    ['light', 'pd-overview-light'],
  ]) {
    test(name, async ({ page, workbench }) => {
      await page.goto(`/d/pdmonitor-overview?theme=${theme}`);
      await expect(workbench.panel('Prefill, KV transfer and decode req/s').locator('canvas')).toBeVisible(FILLING);
      await expect(workbench.panel(/^The three rates/).getByRole('row', { name: /Llama/ })).toBeVisible(FILLING);
      await save(page, name);
    });
  }

  test('query-editor', async ({ page, workbench }) => {
    // High enough for the graph below the explanation.
    await page.setViewportSize({ width: 1600, height: 1320 });
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
    // The page's header covers what is at the top.
    await found.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().top - 160));
    await save(page, 'settings');
  });
});
