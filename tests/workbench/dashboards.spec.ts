import type { Locator } from '@playwright/test';

import { dashboards } from './dashboards';
import { expect, shown, test } from './workbench';

/** In a legend, the series that have a value. */
function valued(panel: Locator): Locator {
  const value = panel.page().getByRole('cell', { name: /^-?\d/ });
  return panel.getByRole('row').filter({ has: value });
}

test.describe('every panel draws data or says why not', () => {
  test.slow();
  // What is out of sight draws nothing, which leaves time to look at the others.
  test.use({ viewport: { width: 1440, height: 500 } });
  dashboards.forEach(({ uid, title }, index) => {
    const theme = index % 2 === 0 ? 'dark' : 'light';
    test(`${title}, ${theme}`, async ({ page, workbench }) => {
      await page.goto(`/d/${uid}?refresh=1s&theme=${theme}`);
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeAttached();
      await expect(page.locator(`body.theme-${theme}`)).toBeVisible();
      await expect(workbench.panels.first()).toBeVisible();
      await workbench.unfold();

      const count = await workbench.panels.count();
      for (let at = 0; at < count; at++) {
        const panel = workbench.panels.nth(at);
        // Without waiting for it to rest: it is drawn anew every second.
        await panel.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        const name = `panel ${at + 1}: ${await panel.getByRole('heading').first().textContent()}`;
        await expect(shown(panel), name).toBeVisible();
        const note = panel.getByRole('note');
        if (await note.isVisible()) {
          await expect(note.locator('span'), `${name} says why it is empty`).toHaveText(/\w+ \w+/);
          const isFailed = /The query failed(?!.* is not on this server)/;
          await expect(note, `${name} asks for something that can be had`).not.toHaveText(isFailed);
        } else if (await panel.getByRole('columnheader', { name: 'Name' }).isVisible()) {
          await expect(valued(panel).first(), `${name} has a curve with a value`).toBeVisible();
        }
      }
    });
  });
});

test.describe('the overview', () => {
  test('draws the three request rates', async ({ page, workbench }) => {
    await page.goto('/');
    const panel = workbench.panel('Prefill, KV transfer and decode req/s');
    await expect(panel.locator('canvas')).toBeVisible();
    for (const curve of ['Prefill vllm', 'KV transfer vllm', 'Decode vllm', 'Prefill sglang', 'Decode sglang']) {
      await expect(panel.getByRole('row', { name: curve })).toBeVisible();
    }
  });

  test('refreshes once a second', async ({ page, workbench }) => {
    await page.goto('/d/pdmonitor-overview?refresh=1s');
    await expect(workbench.panel('Requests running').locator('canvas')).toBeVisible();
    const asked: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/ds/query') && request.postData()?.includes('prefill_request_rate')) {
        asked.push(Date.now());
      }
    });
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThan(6);
  });

  test('draws what its variables choose', async ({ page, workbench }) => {
    await page.goto('/d/pdmonitor-overview');
    const graphs = workbench.panel(/^Req\/s of /);
    await expect(graphs).toHaveCount(3);
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: /Qwen2\.5-32B/ }).click();
    await expect(graphs).toHaveCount(1);
    await expect(graphs).toHaveAccessibleName(/Qwen2\.5-32B/);
    const panel = workbench.panel('Prefill, KV transfer and decode req/s');
    await expect(panel.getByRole('row', { name: 'Prefill sglang' })).toBeVisible();
    await expect(panel.getByRole('row', { name: 'Prefill vllm' })).toBeHidden();
    expect(new URL(page.url()).searchParams.getAll('var-model')).toEqual(['Qwen/Qwen2.5-32B-Instruct']);
  });

  test('leads on with the time range and the variables', async ({ page, workbench }) => {
    const model = 'Qwen/Qwen2.5-32B-Instruct';
    await page.goto(`/d/pdmonitor-overview?from=now-15m&to=now&var-model=${encodeURIComponent(model)}`);
    const panel = workbench.panel('Prefill, KV transfer and decode req/s');
    await panel.getByRole('link', { name: 'Open PD decode' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'PD decode' })).toBeAttached();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('from')).toBe('now-15m');
    expect(searchParams.getAll('var-model')).toEqual([model]);
    await expect(workbench.panel('Decode req/s').getByRole('row', { name: model })).toBeVisible();
  });
});
