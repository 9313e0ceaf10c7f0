import { expect, test } from './workbench';

test.describe('dashboards', () => {
  test('the overview draws the three request rates', async ({ page, workbench }) => {
    await page.goto('/');
    const panel = workbench.panel('Prefill, KV transfer and decode req/s');
    await expect(panel.locator('canvas')).toBeVisible();
    for (const curve of ['Prefill vllm', 'KV transfer vllm', 'Decode vllm', 'Prefill sglang', 'Decode sglang']) {
      await expect(panel.getByRole('row', { name: curve })).toBeVisible();
    }
  });
});
