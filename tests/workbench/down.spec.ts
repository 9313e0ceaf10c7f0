import { writeFile } from 'node:fs/promises';

import { FaultyServer, holding, silent, unauthorised } from './faultyServer';
import { Pdmonitor } from './pdmonitor';
import { expect, test } from './workbench';

interface Case {
  name: string;
  /** Undefined: nothing listens at the address. */
  server?: Parameters<typeof FaultyServer.start>[0];
  /** What the list of signals says. */
  signals: string;
  /** What panels and the settings page say. */
  reason: RegExp;
}

const UNKNOWN = 'nobody knows which signals it holds';
const NONE = 'No engine was found on this server';

const CASES: Case[] = [
  { name: 'is down', signals: UNKNOWN, reason: /Nothing listens at 127\.0\.0\.1:1/ },
  { name: 'lets nobody in', server: unauthorised, signals: UNKNOWN, reason: /401/ },
  { name: 'never answers', server: silent, signals: UNKNOWN, reason: /did not answer|no answer|timeout|timed out/i },
  { name: 'is empty', server: holding(), signals: NONE, reason: /not on this server|no metric/i },
  {
    name: 'has no engine',
    server: holding('up', 'node_load1'),
    signals: NONE,
    reason: /not on this server|no metric/i,
  },
];

for (const { name, server, signals, reason } of CASES) {
  test.describe(`where the server ${name}`, () => {
    // What failed is told by the pages; browsers repeat it for each resource.
    test.use({ provoked: /^console error: Failed to load resource|^[45]\d\d: / });
    test.describe.configure({ mode: 'default' });

    let faulty: FaultyServer | undefined;
    let pdmonitor: Pdmonitor;
    const address = (path: string) => new URL(path, pdmonitor.url).href;

    test.beforeAll(async ({}, testInfo) => {
      faulty = server && (await FaultyServer.start(server));
      const settings = testInfo.outputPath('datasource.json');
      await writeFile(settings, JSON.stringify({ url: faulty?.url ?? 'http://127.0.0.1:1', jsonData: { timeout: 2 } }));
      pdmonitor = await Pdmonitor.start('serve', '--settings', settings);
    });
    test.afterAll(async () => {
      await pdmonitor.stop();
      faulty?.stop();
    });

    test('the query page says so', async ({ page, workbench }) => {
      await page.goto(address('/explore'));
      const alert = page.getByRole('alert').filter({ hasText: signals });
      await expect(alert).toBeVisible();
      await expect(alert.getByRole('button', { name: 'Try again' })).toBeVisible();
      if (signals === UNKNOWN) {
        await expect(alert).toContainText(reason);
      }

      await workbench.pick('decode req', 'Decode req/s');
      await expect(workbench.panel('Result').getByRole('note')).toContainText(reason);

      await alert.getByRole('link', { name: 'Open the settings' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
    });

    test('the settings page says so', async ({ page }) => {
      await page.goto(address('/settings'));
      await expect(
        page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: reason }).first()
      ).toBeVisible();
      await page.getByRole('button', { name: 'Save & test' }).click();
      await expect(page.getByRole('button', { name: 'Save & test' })).toBeEnabled({ timeout: 30_000 });
      await expect(page.locator('form').getByRole('alert').filter({ hasText: reason }).last()).toBeVisible();
    });

    test('a dashboard says so in every panel', async ({ page, workbench }) => {
      await page.goto(address('/d/pdmonitor-overview'));
      for (const title of ['Prefill, KV transfer and decode req/s', 'Requests waiting', 'Time to first token']) {
        const note = workbench.panel(title).getByRole('note');
        await workbench.panel(title).scrollIntoViewIfNeeded();
        await expect(note).toContainText(reason);
      }
      await expect(page.getByText('Loading…')).toBeHidden();
    });
  });
}
