import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@coracle/api';
import type { KubeList } from '@coracle/apimachinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Kubectl } from '../kubectl/kubectl.js';
import { helm } from '../released-programs.js';
import { run } from '../run.js';
import { RunningCluster } from '../running-cluster.js';

describe.skipIf(!helm)('Helm on a cluster of two nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-helm-'));
  let cluster: RunningCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await RunningCluster.start({ flags: ['--nodes', '2'] });
    kubectl = new Kubectl(cluster);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function succeed(...args: string[]): Promise<string> {
    const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
    const { code, stdout, stderr } = await run(helm ?? '', args, { env, timeoutMs: 60_000 });
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  async function imagesOfPods(): Promise<readonly (string | undefined)[]> {
    const { items = [] } = await kubectl.json<KubeList<Pod>>('get', 'pods', '-l', 'app.kubernetes.io/instance=web');
    const running = items.filter(({ metadata }) => !metadata.deletionTimestamp && !metadata.name?.includes('test'));
    return running.map(({ spec }) => spec?.containers?.[0]?.image);
  }

  test('a new chart is installed, tested, upgraded, rolled back and uninstalled', async () => {
    const chart = join(folder, 'shop');
    await succeed('create', chart);
    await succeed('install', 'web', chart, '--wait', '--timeout', '30s', '--set', 'image.tag=1');
    expect(await imagesOfPods()).toEqual(['nginx:1']);

    expect(await succeed('test', 'web', '--timeout', '30s')).toMatch(/Phase:\s+Succeeded/);

    const changes = ['--set', 'replicaCount=3', '--set', 'image.tag=2'];
    await succeed('upgrade', 'web', chart, '--wait', '--timeout', '30s', ...changes);
    expect(await imagesOfPods()).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);

    await succeed('rollback', 'web', '1', '--wait', '--timeout', '30s');
    expect(await imagesOfPods()).toEqual(['nginx:1']);
    const history = JSON.parse(await succeed('history', 'web', '-o', 'json')) as { readonly status: string }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);

    await succeed('uninstall', 'web', '--wait', '--timeout', '30s');
    expect(await imagesOfPods()).toEqual([]);
    expect(await succeed('list', '--short')).toBe('');
  }, 120_000);
});
