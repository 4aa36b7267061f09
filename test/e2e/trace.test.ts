import { expect, test } from 'vitest';
import { clientOf } from './client-of.js';
import { run } from './run.js';
import { program, RunningCluster } from './running-cluster.js';

test("coracle trace pod NAME prints the pod's steps from the request to Running", async () => {
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '1', '--store', 'memory'] });
  await using connection = await clientOf(cluster.kubeconfig);
  const { client } = connection;
  const spec = { containers: [{ name: 'web', image: 'nginx' }] };
  await client.pods('default').create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  for await (const { object } of client.pods('default').watch({ resourceVersion: '0' })) {
    if ('status' in object && typeof object.status === 'object' && object.status.phase === 'Running') break;
  }

  const env = { KUBECONFIG: cluster.kubeconfig };
  const { code, stdout, stderr } = await run(process.execPath, [program, 'trace', 'pod', 'web'], { env });

  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^pods\/default\/web, from \d{4}-\d\d-\d\dT/);
  expect(lines[1]).toBe('pods/default/web');
  const steps = lines.slice(2).map((line) => /^ +\d+ ms {2}(\S+)/.exec(line)?.[1]);
  expect(steps).toEqual(expect.arrayContaining(['apiserver.receive', 'apiserver.admit', 'scheduler.bind']));
  expect(steps[0]).toBe('apiserver.receive');
  expect(lines).toContainEqual(expect.stringMatching(/^ +\d+ ms {2}kubelet\.status +phase=Running$/));
});

test('coracle trace reports unknown pods, and servers without traces', async () => {
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '0', '--store', 'memory'] });
  const env = { KUBECONFIG: cluster.kubeconfig };
  const trace = (...args: string[]) => run(process.execPath, [program, 'trace', ...args], { env });
  expect((await trace('pod', 'absent', '-n', 'other')).stdout).toMatch(/^pods\/other\/absent: no steps are known/);
  expect(await trace('node', 'a')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'coracle: only pods are traced, not node\n',
  });
});
