import { expect, test } from '@grafana/plugin-e2e';

import { dataSourceName } from './dataSource';

test.describe('variable editor', () => {
  test('lists the models of the engines', async ({ variableEditPage, page }) => {
    await variableEditPage.setVariableType('Query');
    await variableEditPage.datasource.set(dataSourceName);
    await expect(page.getByRole('combobox', { name: 'Values of', exact: true })).toHaveValue('Models');
    const preview = page.getByRole('status').filter({ hasText: 'Values now' });
    await expect(preview).toContainText(/\w+\/\w+/);
    const [first] = /[\w.-]+\/[\w.-]+/.exec((await preview.textContent()) ?? '') ?? [];
    await variableEditPage.runQuery();
    // Grafana's own preview, beside that of the editor.
    await expect(page.getByText(first ?? 'a model', { exact: true }).first()).toBeVisible();
  });
});
