import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import type { PluginOptions } from '@grafana/plugin-e2e';
import { defineConfig, devices } from '@playwright/test';

const pluginE2eAuth = `${dirname(require.resolve('@grafana/plugin-e2e'))}/auth`;

// The specs drive a real Grafana. Without one only the explanation project below runs.
const grafanaUrl = process.env.GRAFANA_URL;

// A browser of the system is used where there is one, so that no download is needed.
const systemChromium = '/usr/bin/chromium';
const executablePath =
  process.env.CHROMIUM_PATH ||
  process.env.PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH ||
  (existsSync(systemChromium) ? systemChromium : undefined);

export default defineConfig<PluginOptions>({
  testDir: './tests',
  fullyParallel: true,
  // Grafana's first page takes its time on a small machine; nothing here measures speed.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  retries: process.env.CI ? 2 : 0,
  reporter: process.env.CI ? [['html', { open: 'never' }], ['list']] : 'list',
  use: {
    baseURL: grafanaUrl || 'http://localhost:3000',
    trace: 'on-first-retry',
    launchOptions: { executablePath, args: ['--no-sandbox'] },
  },
  projects: grafanaUrl
    ? [
        // Logs in once and keeps the cookie for the other project.
        { name: 'auth', testDir: pluginE2eAuth, testMatch: [/.*\.js/] },
        {
          name: 'chromium',
          testIgnore: /without-grafana/,
          use: { ...devices['Desktop Chrome'], storageState: 'playwright/.auth/admin.json' },
          dependencies: ['auth'],
        },
      ]
    : [{ name: 'without-grafana', testMatch: /without-grafana/ }],
});
