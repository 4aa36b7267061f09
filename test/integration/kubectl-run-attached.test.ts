import { failure } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
// Loaded before, because virtual time passes while kubectl loads it.
import '../../packages/kubectl/src/remote/attach-to-created.js';
import { kubectl } from './kubectl.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  await cluster.settled();
});
afterAll(() => cluster.stop());

test('run -i prints the logs of a container that ends before it is attached to, and ends with its exit code', async () => {
  // Clients share a prototype: this one refuses channels for the one that kubectl makes of it.
  const connect = vi.spyOn(Object.getPrototypeOf(cluster.client), 'connect');
  connect.mockRejectedValue(failure('InternalError', 'container not found ("quick")'));
  const behaviour = ['crash-after=30s', 'exit-code=42', 'logs=done'].map(
    (setting) => `--annotations=simulation.coracle.dev/${setting}`,
  );
  const words = ['run', '-i', '--image=busybox', '--restart=Never', ...behaviour, 'quick'];
  const { code, out, err } = await kubectl(cluster, words).finally(() => connect.mockRestore());
  expect([code, out]).toEqual([42, 'done\n']);
  expect(err).toContain(
    `warning: couldn't attach to pod/quick, falling back to streaming logs: container not found ("quick")`,
  );
  expect(err).toContain('pod default/quick terminated (Error)');
});
