import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { waitForObject } from '@coracle/client';
import { systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runComponent } from './run-component.js';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, components: { controllers: false, scheduler: false } });
  folder = await mkdtemp(join(tmpdir(), 'coracle-component-'));
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig);
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The certificate of a component is self-signed. */
function read(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
    }).on('error', reject);
  });
}

test('KCM-11 KCM-19 KCM-20 a controller manager over HTTPS works as many accounts, and shows how it is', async () => {
  let port = 0;
  await using _running = await runComponent({
    component: 'controller-manager',
    kubeconfig,
    logger: silentLogger,
    useServiceAccounts: true,
    leaderElection: { identity: 'me' },
    serving: { host: '127.0.0.1', port: 0, alwaysAllowed: ['/healthz'], onListening: (found) => (port = found) },
  });
  const { client } = cluster;
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await client
    .deployments('default')
    .create({ metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  await waitForObject({
    client,
    clock: systemClock,
    ref: refs.deployments,
    namespace: 'default',
    name: 'web',
    until: (deployment) => deployment?.status?.replicas === 1,
    timeoutMs: 20_000,
  });
  const accounts = (await client.serviceAccounts('kube-system').list()).items.map(({ metadata }) => metadata.name);
  expect(accounts).toEqual(expect.arrayContaining(['deployment-controller', 'replicaset-controller']));
  expect(await read(port, '/healthz')).toBe('200 ok');
  expect(await read(port, '/metrics')).toMatch(/^403 .*User \\"system:anonymous\\" cannot get path/);
});
