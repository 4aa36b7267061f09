import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { apiextensionsv1 } from '@coracle/api';
import { type KubeObject, parseYamlDocuments, type ResourceRef } from '@coracle/apimachinery';
import { waitForObject } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PublishedPackage } from './published-package.js';

const run = promisify(execFile);
let published: PublishedPackage;
beforeAll(() => {
  published = new PublishedPackage();
}, 120_000);
afterAll(() => published[Symbol.dispose]());

/** The output of a program, whether it succeeded or not. */
async function outputOf(command: string, args: readonly string[], folder: string): Promise<string> {
  const { stdout, stderr } = await run(command, [...args], { cwd: folder }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return stdout + stderr;
}

describe('the published package', () => {
  test('has declarations that hold by themselves', async () => {
    const folder = join(published.folder, 'typed');
    await mkdir(folder);
    const options = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,esnext.disposable'];
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(folder, 'program.ts'),
      `import { type Cluster, createManager, type Deployment, refs, startCluster } from 'coracle';
       import { createClient, createFetchTransport } from 'coracle/browser';
       import { type Applied, apply, get, Session } from 'coracle/kubectl';
       const cluster: Cluster = await startCluster({ listen: false });
       const deployment: Deployment = await cluster.client.deployments('default').get('web');
       const replicas: number | undefined = deployment.spec?.replicas;
       // @ts-expect-error a deployment has no such field
       deployment.spec?.replica;
       const client = createClient({ transport: createFetchTransport({ server: 'https://a.example' }) });
       for await (const event of client.resource(refs.pods).watch()) if (event.type === 'ADDED') event.object.spec?.nodeName;
       const session = new Session({ client: cluster.client, clock: cluster.clock });
       const applied: readonly Applied[] = await apply(session, await get(session, { resource: 'pods' }));
       // @ts-expect-error there is no such dry run
       await apply(session, [], { dryRun: 'maybe' });
       export { applied, createManager, replicas };`,
    );
    const checked = [...options, '--module', 'nodenext', '--types', 'node', 'program.ts'];
    expect(await outputOf(join(published.folder, 'node_modules/.bin/tsc'), checked, folder)).toBe('');
  }, 60_000);

  test('has a command that runs', async () => {
    const { version } = JSON.parse(await readFile(join(published.folder, 'node_modules/coracle/package.json'), 'utf8'));
    const command = join(published.folder, 'node_modules/.bin/coracle');
    expect(await outputOf(command, ['version'], published.folder)).toContain(version);
  });
});

describe('a new operator', () => {
  let folder: string;
  const npm = (script: string) => run('npm', ['run', '--silent', script], { cwd: folder });

  beforeAll(async () => {
    folder = join(published.folder, 'guest-book');
    const create = ['create', 'operator', 'guest-book', '--group', 'example.org', '--dir', folder];
    await run(join(published.folder, 'node_modules/.bin/coracle'), create);
  });

  test('depends on the published package only', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual([
      'coracle',
      '@types/node',
      'typescript',
      'vitest',
    ]);
  });

  test('has correct types', async () => {
    expect(await outputOf('npm', ['run', '--silent', 'check'], folder)).toBe('');
  }, 60_000);

  test('passes its own tests', async () => {
    expect((await npm('test')).stdout).toMatch(/2 passed/);
  }, 60_000);

  test('runs against a cluster, and stops in order', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const { stdout } = await npm('manifests');
    expect(stdout).toMatch(/^kind: CustomResourceDefinition$/m);
    expect(stdout).toMatch(/^kind: ClusterRole$/m);
    const ref: ResourceRef<KubeObject & { status?: { copies?: number } }> = {
      group: 'example.org',
      version: 'v1',
      resource: 'guestbooks',
      kind: 'GuestBook',
      namespaced: true,
    };
    const [crd] = parseYamlDocuments(new TextEncoder().encode(stdout));
    await cluster.client.customResourceDefinitions().create(crd?.value as apiextensionsv1.CustomResourceDefinition);
    await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig);
    const operator = spawn('node', ['dist/main.js'], {
      cwd: folder,
      env: { ...process.env, METRICS_PORT: '0', HEALTH_PORT: '0', KUBECONFIG: join(folder, 'kubeconfig') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    operator.stderr.on('data', (chunk) => (log += chunk));
    const ended = once(operator, 'exit');
    try {
      const object = { metadata: { name: 'hello' }, spec: { message: 'hi', copies: 2 } } as KubeObject;
      await cluster.client.resource(ref, 'default').create(object);
      const done = await waitForObject({
        client: cluster.client,
        clock: systemClock,
        ref,
        namespace: 'default',
        name: 'hello',
        until: (found) => found?.status?.copies === 2,
        timeoutMs: 20_000,
      });
      expect(done?.status?.copies, log).toBe(2);
    } finally {
      operator.kill('SIGTERM');
    }
    expect((await ended)[0], log).toBe(0);
  }, 90_000);
});
