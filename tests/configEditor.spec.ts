import { expect, test } from '@grafana/plugin-e2e';
import type { Page } from '@playwright/test';

import pluginJson from '../plugin.json';

/** A Prometheus that the tested Grafana reaches. Without one the test of a good connection is skipped. */
const prometheusUrl = process.env.PROMETHEUS_URL;

/** Grafana names the field for screen readers otherwise than on the page, so it is found by its placeholder. */
function urlField(page: Page) {
  return page.getByPlaceholder('http://localhost:9090');
}

test.describe('settings page', () => {
  test('shows its sections, with a name for each field', async ({ createDataSourceConfigPage, page }) => {
    await createDataSourceConfigPage({ type: pluginJson.id });
    await expect(page.getByText('Prometheus server URL')).toBeVisible();
    await expect(urlField(page)).toBeVisible();
    await expect(page.getByLabel('Prefill matcher')).toHaveAttribute('placeholder', 'instance=~"prefill.*"');
    await expect(page.getByLabel('Decode matcher')).toHaveAttribute('placeholder', 'instance=~"decode.*"');
    await expect(page.getByRole('heading', { name: 'KV bytes per request' })).toBeVisible();
  });

  test('computes the bytes of a model while typing and marks wrong numbers', async ({
    createDataSourceConfigPage,
    page,
  }) => {
    await createDataSourceConfigPage({ type: pluginJson.id });
    await page.getByRole('button', { name: 'Add model' }).click();
    await page.getByRole('combobox', { name: /^Model/ }).fill('meta-llama/Llama-3.1-70B');
    await page.keyboard.press('Enter');
    // The round input and its label lie over each other, in an order that differs between versions of Grafana.
    await page.getByRole('radio', { name: 'Geometry' }).check({ force: true });
    await page.getByRole('textbox', { name: /^Layers/ }).fill('80');
    await page.getByRole('textbox', { name: /^KV heads/ }).fill('8');
    await page.getByRole('textbox', { name: /^Head dimension/ }).fill('128');
    await page.getByRole('textbox', { name: /^Input tokens/ }).fill('8192');
    await expect(page.getByText('2,684,354,560 B (2.5 GiB)')).toBeVisible();

    await page.getByRole('textbox', { name: /^Layers/ }).fill('-80');
    await expect(page.getByText('This must be 1 or more. Enter a positive whole number.')).toBeVisible();
  });

  test('gives the same bytes as the command for a pasted config.json', async ({ createDataSourceConfigPage, page }) => {
    await createDataSourceConfigPage({ type: pluginJson.id });
    await page.getByRole('button', { name: 'Add model' }).click();
    await page.getByRole('radio', { name: 'config.json' }).check({ force: true });
    // DeepSeek-V3: 61 latents of 576 elements in two bytes.
    await page
      .getByRole('textbox', { name: /^config\.json/ })
      .fill('{"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64, ');
    await expect(page.getByText('This is not JSON yet')).toBeVisible();
    await page.keyboard.type('"torch_dtype": "bfloat16"}');
    await page.getByRole('textbox', { name: /^Input tokens/ }).fill('8192');
    await expect(page.getByText('575,668,224 B (549 MiB)')).toBeVisible();
  });

  test('"Save & test" succeeds on a Prometheus', async ({ createDataSourceConfigPage, page }) => {
    test.skip(!prometheusUrl, 'PROMETHEUS_URL is not set: no server to test the connection with.');
    const configPage = await createDataSourceConfigPage({ type: pluginJson.id });
    await urlField(page).fill(prometheusUrl ?? '');
    await expect(configPage.saveAndTest()).toBeOK();
  });

  test('"Save & test" fails where nothing listens, and says so', async ({ createDataSourceConfigPage, page }) => {
    const configPage = await createDataSourceConfigPage({ type: pluginJson.id });
    await urlField(page).fill('http://127.0.0.1:1');
    await expect(configPage.saveAndTest()).not.toBeOK();
    await expect(configPage).toHaveAlert('error');
  });
});
