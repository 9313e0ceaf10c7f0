import { expect, test } from './workbench';

test.describe('the settings page', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/settings');
  });

  test('shows what was found on the server', async ({ page }) => {
    const found = page.getByRole('region', { name: 'What was found' });
    const vllm = found.getByRole('row', { name: /^vLLM/ });
    await expect(vllm).toContainText('Llama-3.1-70B');
    await expect(vllm).toContainText('by the matchers below');
    const sglang = found.getByRole('row', { name: /^SGLang/ });
    await expect(sglang).toContainText('Qwen2.5-32B');
    await expect(sglang).toContainText('by its own label');
    await expect(page.getByText(/engines?, scraped every 1s/)).toBeVisible();
  });

  test('counts the engines that a matcher fits while it is typed', async ({ page }) => {
    const matcher = page.getByRole('textbox', { name: 'Prefill matcher' });
    const count = page.getByRole('status').filter({ hasText: /^Fits/ }).first();
    await expect(count).toHaveText(/^Fits [1-9]\d* of \d+ engines: .*prefill/);
    await matcher.fill('instance="nobody"');
    await expect(count).toHaveText(/^Fits none of \d+ engines/);
    await matcher.fill('instance=~".+"');
    await expect(count).toHaveText(/^Fits (\d+) of \1 engines/);
  });

  test('marks wrong input at the field', async ({ page }) => {
    const matcher = page.getByRole('textbox', { name: 'Prefill matcher' });
    await matcher.fill('prefill');
    await expect(page.getByText('Use label matchers such as')).toBeVisible();
    await expect(matcher).toHaveAttribute('aria-invalid', 'true');

    await page.getByRole('button', { name: /Additional settings/ }).click();
    const interval = page.getByRole('textbox', { name: /^Scrape interval/ });
    await interval.fill('often');
    await expect(page.getByText('Use a duration such as 1s')).toBeVisible();
    await expect(interval).toHaveAttribute('aria-invalid', 'true');
    await interval.fill('1s');
    await expect(page.getByText('Use a duration such as 1s')).toBeHidden();
  });

  test('shows the served models with their sizes, and what is really moved', async ({ page }) => {
    const served = page.getByRole('region', { name: 'Models found on this server' });
    const llama = served.getByRole('row', { name: /Llama-3\.1-70B/ });
    // As the demo configures and simulates it: 2.5 GiB a request.
    await expect(llama).toContainText('2.5 GiB');
    // Measured ÷ configured.
    await expect(llama.locator('strong')).toHaveText(/^(0\.9\d|1\.0\d)$/);
    await expect(served.getByRole('row', { name: /DeepSeek-V3/ })).toBeVisible();
  });

  test('leads to what the plugin says of itself', async ({ page }) => {
    const link = page.getByRole('link', { name: 'view the documentation' });
    await page.goto((await link.getAttribute('href')) ?? '');
    await expect(page.getByRole('heading', { name: 'PD Monitor', level: 1 })).toBeVisible();
  });

  test('saves, tests and says what was found', async ({ page, workbench }) => {
    await page.getByRole('button', { name: 'Save & test' }).click();
    const outcome = page.getByRole('status').filter({ hasText: 'Next:' });
    await expect(outcome).toContainText(/vLLM/);
    await outcome.getByRole('link', { name: 'look at the dashboards' }).click();
    await expect(workbench.panel('Prefill, KV transfer and decode req/s')).toBeVisible();
  });
});
