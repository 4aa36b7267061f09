import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { apiextensionsv1 } from '@coracle/api';
import { type KubeObject, parseYamlDocuments, type ResourceRef } from '@coracle/apimachinery';
import { waitForObject } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operatorNames } from '../operator-template/operator-names.js';
import { writeOperator } from './create-operator.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const run = promisify(execFile);
const encoder = new TextEncoder();
type CustomResourceDefinition = apiextensionsv1.CustomResourceDefinition;

test.each([
  ['website', 'Website', 'website'],
  ['guest-book', 'GuestBook', 'guestBook'],
])('%s is an operator of %s', (name, kind, variable) => {
  expect(operatorNames(name, 'example.org')).toEqual({ name, kind, variable, group: 'example.org' });
});

test.each([
  ['Website', 'example.org', /no name for an operator/],
  ['../x', 'example.org', /no name for an operator/],
  ['website', 'example', /no API group/],
])('%s of %s is none', (name, group, message) => {
  expect(() => operatorNames(name, group)).toThrow(message);
});

describe('a new operator', () => {
  let folder: string;
  const scripts = async () => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).scripts;
  const npm = (script: string) =>
    run('npm', ['run', '--silent', script], { cwd: folder, env: { ...process.env, NODE_PATH: '' } });

  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'coracle-operator-')), 'guest-book');
    await writeOperator(folder, 'guest-book', 'example.org');
    // Instead of `npm install`: what a user gets from the registry is what this repository has.
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

  test('is not written over something else', async () => {
    await expect(writeOperator(folder, 'guest-book', 'example.org')).rejects.toThrow('is not empty');
  });

  test('has the scripts that its readme names', async () => {
    expect(Object.keys(await scripts())).toEqual(['build', 'check', 'manifests', 'start', 'test']);
  });

  test('has right types', async () => {
    // Packages of this repository are sources, and checked elsewhere; published ones bring declarations.
    const { stdout } = await npm('check').catch((error: { readonly stdout: string }) => error);
    expect(stdout.split('\n').filter((line) => line.startsWith('src/'))).toEqual([]);
  }, 60_000);

  test('passes its own tests', async () => {
    const { stdout } = await npm('test');
    expect(stdout).toMatch(/2 passed/);
  }, 60_000);

  test('runs against a cluster, and stops in good order', async () => {
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
    const [definition] = parseYamlDocuments(encoder.encode(stdout));
    await cluster.client.customResourceDefinitions().create(definition?.value as CustomResourceDefinition);
    await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig);
    await npm('build');
    const ports = { METRICS_PORT: '0', HEALTH_PORT: '0' };
    const operator = spawn('node', ['dist/main.mjs'], {
      cwd: folder,
      env: { ...process.env, ...ports, KUBECONFIG: join(folder, 'kubeconfig') },
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
