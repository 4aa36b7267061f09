import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../client-of.js';
import { RunningCluster } from '../running-cluster.js';

const plugin = `
export default {
  name: 'NodePrice',
  filter: () => ({ kind: 'unschedulable', reasons: ["node(s) exceeded the pod's budget"] }),
};
`;

test.each([['plugin.js'], ['plugin.mjs']])(
  'coracle up --plugin loads %s, an ES module',
  async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'coracle-plugin-'));
    try {
      await writeFile(join(folder, name), plugin);
      const flags = ['--nodes', '1', '--store', 'memory', '--plugin', join(folder, name)];
      await using cluster = await RunningCluster.start({ flags });
      await using connection = await clientOf(cluster.kubeconfig);
      const pods = connection.client.pods('default');
      await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
      for await (const event of pods.watch({ resourceVersion: '0' })) {
        if (event.type === 'ERROR') throw new Error('the watch has failed');
        const condition = event.object.status?.conditions?.find(({ type }) => type === 'PodScheduled');
        if (!condition) continue;
        expect(condition.message).toContain("1 node(s) exceeded the pod's budget");
        break;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
