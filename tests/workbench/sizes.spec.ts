import { execFileSync } from 'node:child_process';

import { program } from './pdmonitor';
import { expect, test } from './workbench';

/** What the command prints for the same config and options. */
function kvbytes(...flags: string[]): number {
  const text = execFileSync(program, ['kvbytes', '-o', 'json', ...flags], { encoding: 'utf8' });
  return (JSON.parse(text) as { bytesPerRequest: number }).bytesPerRequest;
}

const grouped = (bytes: number) => new Intl.NumberFormat('en-US').format(bytes);

test.describe('the calculator of the settings page', () => {
  test('shows the same bytes as the command', async ({ page, workbench }) => {
    await page.goto('/');
    await workbench.tab('Settings').click();
    await page.getByRole('button', { name: 'Add model' }).click();
    const entry = page.getByRole('group', { name: /^Model \d/ }).last();

    // A model of latents, one copy for each of eight decode ranks: 61 × 576 × 2 B × 8,192 × 8.
    await workbench.choose(/^Known model/, 'deepseek-v3', /^deepseek-v3\b/);
    await entry.getByRole('textbox', { name: /^Input tokens/ }).fill('8192');
    await expect(entry.getByRole('status')).toContainText('B (');
    const alone = kvbytes('--model', 'deepseek-v3', '--input-tokens', '8192');
    expect(alone).toBe(575_668_224);
    await expect(entry.getByRole('status')).toContainText(`${grouped(alone)} B`);

    await entry.getByRole('textbox', { name: /^TP of decode/ }).fill('8');
    const copied = kvbytes('--model', 'deepseek-v3', '--input-tokens', '8192', '--decode-tp', '8');
    expect(copied).toBe(4_605_345_792);
    await expect(entry.getByRole('status')).toContainText(`${grouped(copied)} B`);
    await expect(entry.getByRole('table')).toContainText('MLA');
  });
});
