import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import type { PluginOptions } from '@grafana/plugin-e2e';
import { defineConfig, devices, type PlaywrightTestProject } from '@playwright/test';

import { program } from './tests/workbench/pdmonitor';

const pluginE2eAuth = `${dirname(require.resolve('@grafana/plugin-e2e'))}/auth`;

/** A real Grafana that has loaded the plugin. */
const grafanaUrl = process.env.GRAFANA_URL;

/** The workbench needs no other server: pdmonitor brings everything. */
const hasWorkbench = existsSync(program);

// A browser of the system is used where there is one, so that no download is needed.
const executablePath =
  process.env.CHROMIUM_PATH ||
  process.env.PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH ||
  ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

const workbench: PlaywrightTestProject<PluginOptions> = {
  name: 'workbench',
  testDir: './tests/workbench',
  use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
};

const grafana: Array<PlaywrightTestProject<PluginOptions>> = [
  // Logs in once and keeps the cookie for the other project.
  { name: 'auth', testDir: pluginE2eAuth, testMatch: [/.*\.js/], use: { baseURL: grafanaUrl } },
  {
    name: 'chromium',
    testIgnore: [/without-grafana/, /workbench/],
    use: { ...devices['Desktop Chrome'], baseURL: grafanaUrl, storageState: 'playwright/.auth/admin.json' },
    dependencies: ['auth'],
  },
];

const explanation: PlaywrightTestProject<PluginOptions> = { name: 'without-grafana', testMatch: /without-grafana/ };

export default defineConfig<PluginOptions>({
  testDir: './tests',
  fullyParallel: true,
  // Two browsers and the demo are enough for a small machine.
  workers: 2,
  // Grafana's first page takes its time on a small machine; nothing here measures speed.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  retries: process.env.CI ? 2 : 0,
  reporter: process.env.CI ? [['html', { open: 'never' }], ['list']] : 'list',
  use: {
    trace: 'on-first-retry',
    actionTimeout: 30_000,
    launchOptions: { executablePath, args: ['--no-sandbox'] },
  },
  webServer: hasWorkbench
    ? {
        command: `exec ${program} demo --no-grafana --open=false`,
        // The address, with a port that the system chose, arrives in WORKBENCH_URL.
        wait: { stderr: /Workbench: (?<workbench_url>http\S+)/ },
        stderr: 'ignore',
        gracefulShutdown: { signal: 'SIGINT', timeout: 10_000 },
      }
    : undefined,
  projects: [
    ...(hasWorkbench ? [workbench] : []),
    ...(grafanaUrl ? grafana : []),
    ...(hasWorkbench || grafanaUrl ? [] : [explanation]),
  ],
});
