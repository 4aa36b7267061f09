import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { waitForObject } from '@coracle/client';
import { createAuthority, issueCertificate, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComponentServing } from './component-serving.js';
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
function read(port: number, path: string, more: RequestOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...more }, (response) => {
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

/** A scheduler without leadership, as served. */
async function served(serving: Partial<ComponentServing>) {
  let port = 0;
  const running = await runComponent({
    component: 'scheduler',
    kubeconfig,
    logger: silentLogger,
    serving: { host: '127.0.0.1', port: 0, alwaysAllowed: ['/healthz'], onListening: (p) => (port = p), ...serving },
  });
  return { port, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

async function proxyOf(commonName: string) {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authority = await createAuthority('front-proxy-ca', validity);
  const clientCa = join(folder, 'front-proxy-ca.crt');
  await writeFile(clientCa, authority.certificate);
  const pair = await issueCertificate(authority, { ...validity, commonName, organizations: [], usage: 'client' });
  return { clientCa, identity: { cert: pair.certificate, key: pair.key } };
}

const headers = { usernameHeaders: ['X-Remote-User'], uidHeaders: [], groupHeaders: ['X-Remote-Group'] };

test('FLAG-62 an authenticating proxy names the user of a component, who may read metrics and profiles', async () => {
  const { clientCa, identity } = await proxyOf('front-proxy-client');
  const requestHeader = { ...headers, clientCa, allowedNames: ['front-proxy-client'], extraHeaderPrefixes: [] };
  await using scheduler = await served({ requestHeader });
  const admin = { ...identity, headers: { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' } };
  const metrics = await read(scheduler.port, '/metrics', admin);
  expect(metrics).toMatch(/^200 /);
  expect(metrics).toMatch(/^process_cpu_seconds_total \d/m);
  expect(metrics).toMatch(/^process_start_time_seconds \d/m);
  const { host } = new URL(cluster.url);
  expect(metrics).toMatch(new RegExp(`^rest_client_requests_total{code="201",method="POST",host="${host}"} \\d`, 'm'));
  expect(metrics).toMatch(
    new RegExp(`^rest_client_request_duration_seconds_count{verb="GET",host="${host}"} \\d`, 'm'),
  );
  expect(await read(scheduler.port, '/debug/pprof/goroutine', admin)).toMatch(/^200 requests under way/);
  const guest = { ...identity, headers: { 'x-remote-user': 'guest' } };
  expect(await read(scheduler.port, '/metrics', guest)).toMatch(/^403 .*User \\"guest\\" cannot get/);
  expect(await read(scheduler.port, '/metrics', identity)).toMatch(/^401 /);
  // Without the certificate the headers are ignored.
  expect(await read(scheduler.port, '/metrics', { headers: admin.headers })).toMatch(/^403 .*system:anonymous/);
});

test('tokens and access are reviewed with the credentials of its kubeconfigs', async () => {
  const elsewhere = join(folder, 'elsewhere');
  await writeFile(elsewhere, cluster.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'));
  const token = { headers: { authorization: 'Bearer nonsense' } };
  await using authorized = await served({ authorizationKubeconfig: elsewhere });
  expect(await read(authorized.port, '/metrics', token)).toMatch(/^401 /);
  expect(await read(authorized.port, '/metrics')).toMatch(/^500 /);
  await using authenticated = await served({ authenticationKubeconfig: elsewhere });
  expect(await read(authenticated.port, '/metrics', token)).toMatch(/^500 /);
  expect(await read(authenticated.port, '/metrics')).toMatch(/^403 /);
  await expect(served({ authorizationKubeconfig: join(folder, 'nothing') })).rejects.toThrow(/no such file/);
});

test('a component serves no profiles if it is not to', async () => {
  const { clientCa, identity } = await proxyOf('anybody');
  const requestHeader = { ...headers, clientCa, allowedNames: [], extraHeaderPrefixes: [] };
  await using scheduler = await served({ profiling: false, requestHeader });
  const admin = { ...identity, headers: { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' } };
  expect(await read(scheduler.port, '/debug/pprof/goroutine', admin)).toMatch(/^404 /);
});
