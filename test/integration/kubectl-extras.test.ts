import { type Cluster, startCluster } from '@coracle/cluster';
import type { Processes } from '@coracle/kubectl';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl, web } from './kubectl.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  await cluster.client.deployments('default').create(web);
  await cluster.settled();
  await cluster.clock.advance('5s');
});
afterAll(() => cluster.stop());

const manifest = (image: string, replicas = 2) =>
  JSON.stringify({
    ...web,
    spec: {
      ...web.spec,
      replicas,
      template: { ...web.spec.template, spec: { containers: [{ name: 'web', image }] } },
    },
  });

test('get -o tree shows the dependents of an object', async () => {
  const { code, out } = await kubectl(cluster, ['get', 'deploy', 'web', '-o', 'tree']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^deployment\.apps\/web {2}2\/2 ready\n└─ replicaset\.apps\/web-\w+ {2}2\/2 ready\n {3}├─ pod\/web-\w+-\w+ {2}Running\n {3}└─ pod\/web-\w+-\w+ {2}Running\n$/,
  );
});

test('delete --preview shows the objects of the cascade, and deletes nothing', async () => {
  const { code, out } = await kubectl(cluster, ['delete', 'deploy/web', '--preview']);
  expect(code).toBe(0);
  expect(out.match(/pod\/web-/g)).toHaveLength(2);
  expect((await cluster.client.deployments('default').get('web')).metadata.deletionTimestamp).toBeUndefined();
});

test('explain --example prints a manifest that the server accepts after its names are filled in', async () => {
  const { code, out } = await kubectl(cluster, ['explain', 'deployments', '--example']);
  expect(code).toBe(0);
  expect(out).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: my-deployment\n/);
  const files = { '/project/example.yaml': (await kubectl(cluster, ['explain', 'configmaps', '--example'])).out };
  const created = await kubectl(cluster, ['create', '-f', 'example.yaml', '--dry-run=server'], { files });
  expect(created).toMatchObject({ code: 0, out: 'configmap/my-configmap created (server dry run)\n' });
});

test('rollout status --reason prints why pods are not ready after the timeout', async () => {
  const stuck = { ...web, metadata: { name: 'stuck', namespace: 'default' } };
  const labels = { app: 'stuck' };
  const resources = { requests: { cpu: '1000' } };
  await cluster.client.deployments('default').create({
    ...stuck,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b', resources }] } },
    },
  });
  const { code, err } = await kubectl(cluster, ['rollout', 'status', 'deploy/stuck', '--timeout=10s', '--reason']);
  expect(code).toBe(1);
  expect(err).toMatch(/pod\/stuck-\S+: it is not scheduled: .*Insufficient cpu/);
  expect(err).toContain('error: timed out waiting for the condition');
});

test('why reports pods and of rights', async () => {
  expect((await kubectl(cluster, ['why', 'deploy/web'])).out).toMatch(/pod\/web-\S+ is running and ready/);
  expect((await kubectl(cluster, ['why', 'deploy/stuck'])).out).toMatch(/it is not scheduled: .*Insufficient cpu/);
  expect((await kubectl(cluster, ['why', 'can-i', 'delete', 'pods'])).out).toContain(
    'may delete pods in namespace default',
  );
  expect(await kubectl(cluster, ['why'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is required for why'),
  });
});

test('diff --color colours lines, and --owners names the managers of differences', async () => {
  const files = { '/project/web.json': manifest('nginx:2', 3) };
  await kubectl(cluster, ['apply', '--server-side', '--field-manager=ci', '--force-conflicts', '-f', 'web.json'], {
    files: { '/project/web.json': manifest('nginx:1') },
  });
  const seen: (boolean | undefined)[] = [];
  const processes: Processes = {
    isExecutable: async () => true,
    run: async (_, { capture }) => {
      seen.push(capture);
      return { exitCode: 1, stdout: 'diff -u a b\n@@ -1 +1 @@\n-replicas: 2\n+replicas: 3\n same\n' };
    },
  };
  const { code, out } = await kubectl(cluster, ['diff', '-f', 'web.json', '--color', '--owners'], { files, processes });
  expect(code).toBe(1);
  expect(seen).toEqual([true]);
  expect(out).toContain('\u001b[31m-replicas: 2\u001b[0m\n\u001b[32m+replicas: 3\u001b[0m\n same\n');
  expect(out).toMatch(/^# deployment\.apps\/web$/m);
  expect(out).toMatch(/^# {3}\.spec\.replicas: .*ci \(Apply\)/m);
  expect(out).toMatch(/^# {3}\.spec\.template\.spec\.containers\[name=web\]\.image: .*ci \(Apply\)/m);
});

test('edit keeps the edited text when it cannot be saved', async () => {
  const files: Record<string, string> = {};
  // A change that the server refuses, and then none.
  const processes = editorOf(files, {
    firstEdit: (text) => text.replace('replicas: 2', 'replicas: -5'),
    laterExitCode: 0,
  });
  const { code, err } = await kubectl(cluster, ['edit', 'deploy/web'], { files, processes });
  expect(code).toBe(1);
  const [, path = ''] = /A copy of your changes has been stored to "([^"]+)"/.exec(err) ?? [];
  expect(files[path]).toContain('replicas: -5');
  expect(files[path]).toContain('# * spec.replicas:');
});

test('edit names the copy when the editor itself fails in the second round', async () => {
  const files: Record<string, string> = {};
  const processes = editorOf(files, { firstEdit: () => 'this: is: not: yaml', laterExitCode: 1 });
  const { code, err } = await kubectl(cluster, ['edit', 'deploy/web'], { files, processes });
  expect(code).toBe(1);
  const [, path = ''] = /A copy of your changes has been stored to "([^"]+)"/.exec(err) ?? [];
  expect(files[path]).toContain('this: is: not: yaml');
  expect(err).toContain('there was a problem with the editor');
});

/** An editor that changes the file the first time it runs, and only exits after that. */
function editorOf(
  files: Record<string, string>,
  { firstEdit, laterExitCode }: { firstEdit(text: string): string; laterExitCode: number },
): Processes {
  let rounds = 0;
  return {
    isExecutable: async () => true,
    run: async (command) => {
      const path = command.at(-1) ?? '';
      if (rounds++ > 0) return { exitCode: laterExitCode, stdout: '' };
      files[path] = firstEdit(files[path] ?? '');
      return { exitCode: 0, stdout: '' };
    },
  };
}
