import type { Page } from '@playwright/test';

import { expect, test } from './workbench';

/** What has the focus, as it is announced; empty outside of the page's controls. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) {
      return '';
    }
    const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id));
    const labels =
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null;
    const names = [
      element.getAttribute('aria-label'),
      ...named.map((one) => one?.textContent),
      ...[...(labels ?? [])].map((label) => label.textContent),
      element.getAttribute('title'),
      element.textContent,
      element.getAttribute('placeholder'),
    ];
    return `${element.getAttribute('role') ?? element.tagName.toLowerCase()} ${names.find((name) => name?.trim()) ?? '(no name)'}`;
  });
}

/** Presses a key until something has the focus. */
async function reach(page: Page, name: RegExp, key = 'Tab') {
  const passed: string[] = [];
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (name.test(now)) {
      return;
    }
    passed.push(now);
  }
  throw new Error(`${key} never leads to ${name}, but to:\n${passed.join('\n')}`);
}

/** Everything that Tab leads to until the page is left; a trap is an error. */
async function tour(page: Page): Promise<string[]> {
  const stops: string[] = [];
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let presses = 0; presses < 250; presses++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now === '') {
      return stops;
    }
    stops.push(now);
  }
  throw new Error(`Tab never leaves the page; it went through:\n${stops.join('\n')}`);
}

test.describe('with the keyboard alone', () => {
  test('one draws TTFT P99 by model', async ({ page, workbench }) => {
    await page.goto('/explore');
    await expect(page.getByRole('combobox', { name: 'Signal', exact: true })).toBeVisible();
    await reach(page, /^combobox Signal/);
    await page.keyboard.type('ttft');
    await expect(page.getByRole('option').first()).toContainText('TTFT');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('listbox')).toBeHidden();

    await reach(page, /^combobox Statistic/);
    // Grafana's menu takes letters from when it is open.
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.type('P99');
    await expect(page.getByRole('option', { name: 'P99', exact: true })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('combobox', { name: /^Statistic/ })).toHaveValue('P99');

    // By model it is already; by instance too.
    await reach(page, /^combobox Group by/);
    await page.keyboard.type('instance');
    await expect(page.getByRole('option', { name: 'instance' }).first()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect(workbench.compiled).toContainText('histogram_quantile(0.99');
    await expect(workbench.compiled).toContainText(/by \((instance, )?.*model_name/);
    await expect(workbench.panel('Result').getByRole('row', { name: /Llama/ }).first()).toBeVisible();

    await reach(page, /Copy PromQL/);
    await reach(page, /^combobox Group by/, 'Shift+Tab');
  });

  test('the list of signals is walked through and left', async ({ page }) => {
    await page.goto('/explore');
    const field = page.getByRole('combobox', { name: 'Signal', exact: true });
    await expect(field).toBeVisible();
    await reach(page, /^combobox Signal/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    const active = page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`);
    await expect(active).toBeInViewport();
    await expect(page.getByText(/^\d+ signals$/)).toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('listbox')).toBeHidden();
    await expect(field).toBeFocused();
  });

  for (const { path, ready, stops } of [
    { path: '/explore', ready: 'Signal', stops: [/Signal/, /Add filter/, /Add query/, /Graph|Table/] },
    { path: '/settings', ready: 'What was found', stops: [/connection URL/, /Prefill matcher/, /Save & test/] },
    // Without refresh, which would only make it slower.
    { path: '/?refresh=', ready: 'Requests running', stops: [/Dashboard/, /Refresh/, /Open PD decode/, /Throughput/] },
  ]) {
    test(`all of ${path} is reached, named and left`, async ({ page }) => {
      await page.goto(path);
      await expect(page.getByText(ready).first()).toBeVisible();
      const found = await tour(page);
      for (const stop of stops) {
        expect(
          found.some((one) => stop.test(one)),
          `${stop} among\n${found.join('\n')}`
        ).toBe(true);
      }
      // The icons that explain a label or a panel are Grafana's.
      expect(found.filter((one) => one.includes('(no name)') && !/^(svg|span) /.test(one))).toEqual([]);
    });
  }

  test('the settings are saved and tested', async ({ page }) => {
    await page.goto('/settings');
    await expect(page.getByRole('region', { name: 'What was found' })).toBeVisible();
    await reach(page, /Save & test/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: 'Next:' })).toBeVisible();
  });
});
