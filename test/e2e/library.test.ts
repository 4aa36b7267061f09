import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** A program that uses the published package. */
const program = `
  import { startCluster } from 'coracle';
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
  await cluster.client.pods('default').create({
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  });
  await cluster.settled();
  const pod = await cluster.client.pods('default').get('web');
  console.log(pod.status.phase);
  await cluster.stop();
`;

test('the built package starts a cluster in a program, which can exit', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 15_000,
  });
  // Node.js shows the line that threw, and a bundle has long lines: the end says what went wrong.
  expect({ stdout, stderr: stderr.slice(-500), status }).toEqual({ stdout: 'Running\n', stderr: '', status: 0 });
});
