import { expect, test as base, type Locator, type Page } from '@playwright/test';

/** What a browser complains about while a page is used. */
class Complaints {
  readonly found: string[] = [];

  constructor(page: Page) {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.found.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    page.on('pageerror', (error) => this.found.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:|data:)/.test(request.url())) {
        this.found.push(`request to elsewhere: ${request.url()}`);
      }
    });
    page.on('response', (response) => {
      if (response.status() >= 400) {
        this.found.push(`${response.status()}: ${response.url()}`);
      }
    });
  }
}

/** The workbench in the browser. */
export class Workbench {
  constructor(readonly page: Page) {}

  panel(title: string | RegExp) {
    return this.page.getByRole('region', { name: title });
  }

  /** Those of all rows that are open. */
  get panels() {
    return this.page.getByTestId(/^data-testid Panel header/);
  }

  /** Opens all rows of a dashboard. */
  async unfold() {
    const folded = this.page.getByRole('heading', { level: 2 }).getByRole('button', { expanded: false });
    while ((await folded.count()) > 0) {
      await folded.first().click();
    }
  }

  tab(name: string) {
    return this.page.getByRole('tab', { name });
  }

  /** Chooses an option of a combobox by typing. */
  async choose(label: string | RegExp, text: string, option: string | RegExp = text) {
    const box = this.page.getByRole('combobox', { name: label });
    await box.click();
    await box.fill(text);
    await this.page.getByRole('option', { name: option }).first().click();
  }

  /** Chooses a signal by typing a part of its name or meaning. */
  async pick(text: string, title: string) {
    const field = this.page.getByRole('combobox', { name: 'Signal', exact: true });
    await field.click();
    await field.fill(text);
    await this.page
      .getByRole('option', { name: new RegExp(`^${title}`) })
      .first()
      .click();
  }

  /** The PromQL that the editor shows, and what is said about it. */
  get compiled() {
    return this.page.getByRole('group', { name: 'Compiled PromQL' });
  }

  /** The last value of a series, from the legend of its panel; NaN while there is none. */
  last(panel: Locator, series: string | RegExp): Promise<number> {
    return legend(panel, series, 'Last *');
  }

  /** Its mean over the time range. */
  mean(panel: Locator, series: string | RegExp): Promise<number> {
    return legend(panel, series, 'Mean');
  }
}

/** A graph, a table, a text, or the words for why there is none. */
export function shown(panel: Locator): Locator {
  return panel
    .locator('canvas')
    .or(panel.getByTestId('data-testid table body').getByRole('row'))
    .or(panel.locator('.markdown-html'))
    .or(panel.getByRole('note'))
    .first();
}

async function legend(panel: Locator, series: string | RegExp, column: string): Promise<number> {
  const row = panel.getByRole('row', { name: series }).first();
  if (!(await row.isVisible())) {
    // A narrow panel has a list: "Prefill Last *: 12.5 req/s".
    const item = panel.getByTestId(/VizLegend series/).filter({ hasText: series });
    const texts = await item.allTextContents();
    return Number.parseFloat(texts[0]?.split(`${column}:`)[1] ?? '');
  }
  const titles = await panel.getByRole('columnheader').allTextContents();
  const text = await row.getByRole('cell').nth(titles.indexOf(column)).textContent();
  // "12.5 req/s", "98%"
  return Number.parseFloat(text ?? '');
}

interface Fixtures {
  workbench: Workbench;
  complaints: string[];
  /** What a test provokes, so that it is no complaint. */
  provoked: RegExp;
}

/** A test on a workbench that has a demo behind it; it fails when the browser has anything to complain of. */
export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => {
    await use(process.env.WORKBENCH_URL);
  },
  provoked: [/(?!)/, { option: true }],
  complaints: async ({ page, provoked }, use) => {
    const complaints = new Complaints(page);
    await use(complaints.found);
    expect(complaints.found.filter((text) => !provoked.test(text))).toEqual([]);
  },
  workbench: async ({ page, complaints }, use) => {
    await use(new Workbench(page));
  },
});

export { expect };
