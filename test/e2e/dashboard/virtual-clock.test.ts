import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@coracle/cluster';
import { describe, expect, onTestFinished, test } from 'vitest';
import { browserName, launch, patienceMs, RunningDashboard, visit } from './visit.js';

describe.skipIf(!browserName)('the dashboard of a cluster with a virtual clock', () => {
  test('its buttons advance the time of the cluster, and nothing else does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coracle-clock-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cluster = await startCluster({
      clock: 'virtual',
      seed: 1,
      traces: true,
      listen: { host: '127.0.0.1', port: 0 },
    });
    onTestFinished(() => cluster.stop());
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, cluster.kubeconfig);
    await cluster.client.cronJobs('default').create({
      metadata: { name: 'half-past' },
      spec: {
        schedule: '30 * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
        },
      },
    });
    await cluster.settled();
    const browser = await launch();
    onTestFinished(() => browser.close());
    await using dashboard = await RunningDashboard.start(kubeconfig);
    const { page, problems } = await visit(browser, dashboard.link);
    await page.goto(`${dashboard.origin}/r/jobs.batch`);
    await page.getByRole('heading', { name: 'Job' }).waitFor();
    expect((await cluster.client.jobs('default').list()).items).toEqual([]);
    const before = cluster.clock.now();
    await page.getByRole('button', { name: '+1h' }).click();
    await page.getByRole('row', { name: /half-past-/ }).waitFor();
    await expect.poll(() => cluster.clock.now() - before, { timeout: patienceMs }).toBe(3_600_000);
    expect(problems).toEqual([]);
  }, 120_000);
});
