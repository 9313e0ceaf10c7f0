import { Pdmonitor } from './pdmonitor';
import { expect, test } from './workbench';

const SCENARIOS = ['prealloc-back-pressure', 'thrash', 'kv-expiry', 'decode-bound'] as const;

// In one worker: the clusters run beside each other, because each fault takes its time to build up.
test.describe.configure({ mode: 'default', timeout: 240_000 });

/** How long a fault may take to be seen. */
const BUILD_UP = { timeout: 100_000 };

test.describe('the panel that is meant to show a fault shows it', () => {
  const running = new Map<string, Pdmonitor>();

  test.beforeAll(async () => {
    for (const scenario of SCENARIOS) {
      running.set(scenario, await Pdmonitor.start('demo', '--no-grafana', '--scenario', scenario));
    }
  });
  test.afterAll(async () => {
    await Promise.all([...running.values()].map((pdmonitor) => pdmonitor.stop()));
  });

  const address = (scenario: (typeof SCENARIOS)[number], dashboard: string) =>
    new URL(`d/${dashboard}`, running.get(scenario)?.url).href;

  test('prealloc back pressure: the chain from decode to prefill', async ({ page, workbench }) => {
    await page.goto(address('prealloc-back-pressure', 'pdmonitor-kv-transfer'));
    // Five requests fit into decode's memory, so the sixth waits for it, and on prefill for the handshake.
    const decode = workbench.panel("2. Decode's queues");
    const prefill = workbench.panel("3. Prefill's queues");
    await prefill.scrollIntoViewIfNeeded();
    await expect.poll(() => workbench.last(decode, /^Prealloc Qwen/), BUILD_UP).toBeGreaterThan(2);
    await expect.poll(() => workbench.last(prefill, /^Bootstrap Qwen/), BUILD_UP).toBeGreaterThan(2);
  });

  test('decode-bound: the lowest of the three curves is decode', async ({ page, workbench }) => {
    await page.goto(address('decode-bound', 'pdmonitor-overview'));
    const panel = workbench.panel('Prefill, KV transfer and decode req/s');
    // Three places of 1.2 s each are 2.5 req/s, and 3 arrive.
    const share = async () =>
      (await workbench.mean(panel, 'Decode sglang')) / (await workbench.mean(panel, 'Prefill sglang'));
    await expect.poll(share, BUILD_UP).toBeLessThan(0.95);
    const queue = workbench.panel('Requests waiting');
    await queue.scrollIntoViewIfNeeded();
    await expect.poll(() => workbench.last(queue, /Qwen.*decode/), BUILD_UP).toBeGreaterThan(2);
  });

  test('thrash: memory at the top and preemptions', async ({ page, workbench }) => {
    await page.goto(address('thrash', 'pdmonitor-decode'));
    const memory = workbench.panel('Decode KV memory in use');
    const lost = workbench.panel('Preemptions and retractions');
    await lost.scrollIntoViewIfNeeded();
    await expect.poll(() => workbench.last(memory, /Llama/), BUILD_UP).toBeGreaterThan(85);
    await expect.poll(() => workbench.mean(lost, /^Preemptions .*Llama/), BUILD_UP).toBeGreaterThan(0);
    await expect.poll(() => workbench.mean(lost, /^Retractions .*Qwen/), BUILD_UP).toBeGreaterThan(0);
  });

  test('KV expiry: leases that ended before decode came', async ({ page, workbench }) => {
    await page.goto(address('kv-expiry', 'pdmonitor-kv-transfer'));
    const expired = workbench.panel('KV leases expired');
    await expired.scrollIntoViewIfNeeded();
    await expect.poll(() => workbench.mean(expired, /^Expired .*Llama/), BUILD_UP).toBeGreaterThan(0);
  });
});
