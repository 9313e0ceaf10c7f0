import { expect, test } from './workbench';

test.describe('the query page', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/explore');
  });

  test('draws TTFT P99 by model, chosen by typing', async ({ page, workbench }) => {
    await workbench.pick('TTFT', 'TTFT');
    await workbench.choose('Statistic', 'P99');
    // A new query is by model already.
    await expect(page.getByRole('button', { name: 'Remove model' })).toBeVisible();

    // A quantile is computed from merged buckets, by what is grouped by.
    await expect(workbench.compiled).toContainText(/histogram_quantile\(0\.99,\s*sum by \([^)]*\ble\b[^)]*\)/);
    await expect(workbench.compiled).toContainText('model_name');
    await workbench.compiled.getByRole('button', { name: 'How this is computed' }).click();
    await expect(
      workbench.compiled
        .getByRole('listitem')
        .filter({ hasText: /bucket/i })
        .first()
    ).toBeVisible();

    const result = workbench.panel('Result');
    await expect(result.locator('canvas')).toBeVisible();
    for (const model of ['Llama-3.1-70B-Instruct', 'Qwen2.5-32B-Instruct', 'DeepSeek-V3']) {
      await expect(result.getByRole('row', { name: model }).first()).toBeVisible();
    }
    await expect(page.getByRole('region', { name: 'Executed PromQL' })).toContainText('histogram_quantile');
  });

  test('keeps the query in its address', async ({ page, workbench }) => {
    await workbench.pick('decode req', 'Decode req/s');
    await expect(workbench.panel('Result').locator('canvas')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('combobox', { name: 'Signal', exact: true })).toHaveValue('Decode req/s');
    await expect(workbench.panel('Result').locator('canvas')).toBeVisible();
  });

  test('puts the signal into PromQL, and leads back to it', async ({ page, workbench }) => {
    await workbench.pick('prefill req', 'Prefill req/s');
    await expect(workbench.compiled).toContainText('rate(');
    await page.getByRole('radio', { name: 'PromQL' }).check({ force: true });
    const field = page.getByRole('textbox', { name: 'PromQL' });
    await expect(field).toHaveValue(/rate\(/);

    await field.fill('sum(up)');
    await field.press('Control+Enter');
    await expect(workbench.compiled).toContainText('sum(up)');
    await expect(workbench.panel('Result').locator('canvas')).toBeVisible();

    await page.getByRole('radio', { name: 'Signal' }).check({ force: true });
    await expect(page.getByRole('combobox', { name: 'Signal', exact: true })).toHaveValue('Prefill req/s');
    await page.getByRole('radio', { name: 'PromQL' }).check({ force: true });
    await expect(field).toHaveValue('sum(up)');
  });

  test.describe('with PromQL that cannot be read', () => {
    test.use({ provoked: /400.*\/resources\/compile/ });
    test('says what is wrong', async ({ page, workbench }) => {
      await page.getByRole('radio', { name: 'PromQL' }).check({ force: true });
      const field = page.getByRole('textbox', { name: 'PromQL' });
      await field.fill('sum(rate(up[1m])');
      await field.press('Control+Enter');
      await expect(
        workbench.compiled.getByRole('listitem').filter({ hasText: /cannot be compiled.*\)/ })
      ).toBeVisible();
      await expect(workbench.panel('Result')).toContainText('The query failed');
    });
  });

  test('dims a signal that is not exported, with the reason', async ({ page, workbench }) => {
    const field = page.getByRole('combobox', { name: 'Signal', exact: true });
    await field.click();
    await field.fill('lmcache');
    const option = page.getByRole('option', { name: /Not exported here: .+/ }).first();
    await expect(option).toBeVisible();
    await option.click();
    // It can be asked for all the same, and the answer says what it lacks.
    const note = workbench.panel('Result').getByRole('note');
    await expect(note).toContainText(/not on this server.* needs /);
    await expect(workbench.compiled.getByRole('listitem').first()).toContainText(/not on this server/);
  });

  test('draws the buckets of a latency as a heatmap', async ({ page, workbench }) => {
    await workbench.pick('itl', 'ITL');
    await workbench.choose('Statistic', 'Heatmap', /^Heatmap/);
    await expect(workbench.panel('Result').getByRole('img', { name: 'Observations by bucket' })).toBeVisible();
  });

  test('offers the values of a filter from the server, and applies them', async ({ page, workbench }) => {
    await workbench.pick('prefill req', 'Prefill req/s');
    const rows = workbench.panel('Result').getByRole('row', { name: /Instruct|DeepSeek/ });
    await expect(rows).toHaveCount(3);

    await page.getByRole('button', { name: 'Add filter' }).click();
    await workbench.choose('Filter 1 label', 'model', 'model');
    await page.getByRole('combobox', { name: 'Filter 1 values' }).click();
    await page.getByRole('option', { name: /Qwen2\.5-32B/ }).click();
    await page.keyboard.press('Escape');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('Qwen');
    await expect(workbench.compiled).toContainText('model_name="Qwen/Qwen2.5-32B-Instruct"');
  });

  test('copies the PromQL', async ({ page, workbench, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await workbench.pick('decode req', 'Decode req/s');
    await workbench.compiled
      .getByRole('button', { name: /^Copy PromQL/ })
      .first()
      .click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/rate\(/);
    await expect(workbench.compiled).toContainText(copied.split('(')[0]);
  });

  test('runs an example', async ({ page, workbench }) => {
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Time to first token, P99 by model' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(workbench.panel('Result').locator('canvas')).toBeVisible();
  });
});
