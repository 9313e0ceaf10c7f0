import { expect, test as base, type Page } from '@playwright/test';

/** What a browser complains about while a page is used. */
class Complaints {
  readonly found: string[] = [];

  constructor(page: Page, home: string) {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.found.push(`console ${message.type()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => this.found.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(home) && !request.url().startsWith('data:')) {
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
}

/** A test on a workbench that has a demo behind it; it fails when the browser has anything to complain of. */
export const test = base.extend<{ workbench: Workbench; complaints: string[] }>({
  baseURL: async ({}, use) => {
    await use(process.env.WORKBENCH_URL);
  },
  complaints: async ({ page, baseURL }, use) => {
    const complaints = new Complaints(page, baseURL ?? '');
    await use(complaints.found);
    expect(complaints.found).toEqual([]);
  },
  workbench: async ({ page, complaints }, use) => {
    await use(new Workbench(page));
  },
});

export { expect };
