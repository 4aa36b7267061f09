import { expect, test } from 'vitest';
import { clientOf } from './client-of.js';
import { RunningCluster } from './running-cluster.js';

test.each([
  { name: 'coracle up', options: { flags: ['--nodes', '2'] } },
  {
    name: 'coracle apiserver',
    options: { command: ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0', '--store', 'memory'] },
  },
])('$name exits by itself: no timer and no socket is left open', { timeout: 60_000 }, async ({ options }) => {
  await using cluster = await RunningCluster.start(options);
  let output = '';
  cluster.process.stderr?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  await using connection = await clientOf(cluster.kubeconfig);
  const { client } = connection;
  const watch = client.configMaps('default').watch()[Symbol.asyncIterator]();
  const first = watch.next();
  await client.configMaps('default').create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  expect(await first).toMatchObject({ value: { type: 'ADDED' } });

  expect(await cluster.stop()).toBe(0);

  expect(output).not.toContain('resources still open');
  await watch.return?.();
});
