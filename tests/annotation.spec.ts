import { expect, test } from '@grafana/plugin-e2e';

import { dataSourceName } from './dataSource';

test.describe('annotation editor', () => {
  test('runs the query of a kind of mark', async ({ annotationEditPage, page }) => {
    await annotationEditPage.datasource.set(dataSourceName);
    await page.getByRole('combobox', { name: 'Mark' }).click();
    await page.getByRole('option', { name: /^Engine restarts/ }).click();
    await expect(annotationEditPage.runQuery()).toBeOK();
  });
});
