import { expect, test } from './workbench';

test.describe('theme and language', () => {
  test.use({ colorScheme: 'dark' });

  test('the theme is kept', async ({ page }) => {
    await page.goto('/settings');
    const body = page.locator('body');
    await expect(body).toHaveClass(/theme-dark/);
    await page.getByRole('button', { name: 'Light theme' }).click();
    await expect(body).toHaveClass(/theme-light/);
    // The address says nothing here, so it is the browser that remembers.
    await page.goto('/settings');
    await expect(body).toHaveClass(/theme-light/);
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await expect(body).toHaveClass(/theme-dark/);
  });

  test('everything is there in Chinese', async ({ page }) => {
    await page.goto('/explore');
    await page.getByRole('button', { name: '中文' }).click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
    await expect(page.getByRole('heading', { level: 1, name: '查询' })).toBeVisible();

    const field = page.getByRole('combobox', { name: '信号', exact: true });
    await field.click();
    await field.fill('预填充');
    await page.getByRole('option').first().click();
    await expect(page.getByRole('region', { name: '结果' }).locator('canvas')).toBeVisible();

    await page.getByRole('tab', { name: '设置' }).click();
    await expect(page.getByRole('heading', { name: '发现的内容' })).toBeVisible();
    await page.goto('/');
    await expect(page.getByRole('tab', { name: '仪表板' })).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('tab', { name: 'Dashboards' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
  });

  test.describe('of a Chinese browser', () => {
    test.use({ locale: 'zh-CN' });
    test('is Chinese without a choice', async ({ page, workbench }) => {
      await page.goto('/');
      await expect(workbench.tab('仪表板')).toBeVisible();
    });
  });
});
