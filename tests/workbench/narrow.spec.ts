import type { Locator } from '@playwright/test';

import { expect, test } from './workbench';

const LONG = 'deepseek-ai/DeepSeek-R1-Distill-Llama-70B-a-name-that-nobody-shortens';

/** Queries with more in each row than fits. */
const queries = [
  {
    signal: 'ttft',
    stat: 'quantile',
    quantile: 0.999,
    groupBy: ['model', 'instance', 'role', 'priority', 'engine', 'dp_rank'],
    filters: [
      { label: 'model', op: '=', values: [LONG, 'Qwen/Qwen2.5-32B-Instruct', 'meta-llama/Llama-3.1-70B-Instruct'] },
      { label: 'instance', op: '=~', values: ['prefill-0.*'] },
    ],
    legend: '{{model}}',
  },
  { signal: 'kv_transfer_request_rate', groupBy: ['model'], system: 'flagcx' },
  {
    queryType: 'promql',
    signal: '',
    expr: `histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket{model_name="${LONG}"}[$__rate_interval])))`,
    filters: [{ label: 'model', op: '!=', values: [LONG] }],
  },
];

/** The controls of an editor that reach beyond it, or that something around them cuts off. */
function beyond(editor: Locator): Promise<string[]> {
  return editor.evaluate((root) => {
    const described = (element: Element) =>
      `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') || element.id || element.textContent}`;
    const controls = root.querySelectorAll('input, textarea, button, a, label, [role="group"], [role="combobox"]');
    return [...controls].flatMap((control) => {
      const box = control.getBoundingClientRect();
      const isDrawn = box.width > 1 && box.height > 1 && getComputedStyle(control).opacity !== '0';
      const faults: string[] = [];
      for (let around = control.parentElement; isDrawn && around; around = around.parentElement) {
        const outer = around.getBoundingClientRect();
        const cuts = around === root || around.contains(root) || getComputedStyle(around).overflowX !== 'visible';
        if (cuts && (box.right > outer.right + 1 || box.left < outer.left - 1)) {
          faults.push(`${described(control)}: ${box.left} to ${box.right} in ${outer.left} to ${outer.right}`);
          break;
        }
      }
      return faults;
    });
  });
}

for (const width of [390, 700, 1024]) {
  test.describe(`in a window of ${width} pixels`, () => {
    test.use({ viewport: { width, height: 1200 } });

    test('no control of the query editor reaches beyond it', async ({ page, workbench }) => {
      await page.goto(`/explore?queries=${encodeURIComponent(JSON.stringify(queries))}`);
      for (const [index, refId] of ['A', 'B', 'C'].entries()) {
        const editor = page.getByRole('region', { name: `Query ${refId}`, exact: true });
        await expect(editor.getByRole('group', { name: 'Compiled PromQL' })).toContainText('rate(');
        const options = editor.getByRole('button', { name: /^Rate/ });
        if (queries[index].queryType !== 'promql') {
          await options.click();
        }
        expect(await beyond(editor)).toEqual([]);
      }
      await expect(workbench.panel('Result')).toBeVisible();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    });
  });
}
