import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import { silentLogger, VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import { createHttpTransport, loadConnection } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../start-cluster.js';
import { createBootstrapToken } from './bootstrap-token.js';
import {
  bootstrapFromFile,
  bootstrapNode,
  credentialsIn,
  hasNodeCertificate,
  rotateCertificate,
} from './node-credentials.js';

const patience = { timeout: 120_000, interval: 100 };
let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0 });
  folder = await mkdtemp(join(tmpdir(), 'coracle-join-'));
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a node gets a certificate with a token, and another one before the first ends', async () => {
  const { url: server, client, kubeconfig } = cluster;
  const authority = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  const caCertificate = Buffer.from(authority, 'base64').toString('utf8');
  const token = await createBootstrapToken(client, { ttlMs: 0, now: Date.now(), server, caCertificate });
  const credentials = credentialsIn(folder);
  const nodeName = 'machine';
  await bootstrapNode({ ...credentials, nodeName, server, caCertificate, token, logger: silentLogger });

  const read = async () => new X509Certificate(await readFile(join(credentials.certDir, 'kubelet-client-current.pem')));
  const first = await read();
  expect(first.subject).toBe('O=system:nodes\nCN=system:node:machine');
  const [from, to] = [Date.parse(first.validFrom), Date.parse(first.validTo)];

  const clock = new VirtualClock({ startAt: from + (to - from) * 0.69 });
  using _rotation = rotateCertificate({ ...credentials, nodeName }, { clock, logger: silentLogger });
  await clock.advance(3_600_000);
  expect((await read()).serialNumber).toBe(first.serialNumber);
  await clock.advance((to - from) * 0.02);
  await expect.poll(async () => (await read()).serialNumber, patience).not.toBe(first.serialNumber);

  const connection = await loadConnection({ path: credentials.kubeconfigFile });
  await using transport = await createHttpTransport({ connection, logger: silentLogger, http2: false });
  const node = createClient({ transport, userAgent: 'test' });
  const { status } = await node.resource(refs.selfSubjectReviews).create({ metadata: {} });
  expect(status?.userInfo?.username).toBe('system:node:machine');
}, 240_000);

test('TLS bootstrap with a kubeconfig file writes the kubeconfig once, and again when its certificate has ended', async () => {
  const { url: server, client, kubeconfig } = cluster;
  const authority = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  const caCertificate = Buffer.from(authority, 'base64').toString('utf8');
  const token = await createBootstrapToken(client, { ttlMs: 0, now: Date.now(), server, caCertificate });
  const bootstrapKubeconfig = join(folder, 'bootstrap-kubelet.conf');
  await writeFile(
    bootstrapKubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const credentials = { kubeconfigFile: join(folder, 'other', 'kubelet.conf'), certDir: join(folder, 'other', 'pki') };
  const options = { ...credentials, nodeName: 'other', bootstrapKubeconfig, logger: silentLogger };
  expect(hasNodeCertificate(credentials)).toBe(false);
  await bootstrapFromFile({ ...options, now: Date.now() });
  expect(hasNodeCertificate(credentials)).toBe(true);
  const connection = await loadConnection({ path: credentials.kubeconfigFile });
  await using transport = await createHttpTransport({ connection, logger: silentLogger, http2: false });
  const node = createClient({ transport, userAgent: 'test' });
  const { status } = await node.resource(refs.selfSubjectReviews).create({ metadata: {} });
  expect(status?.userInfo?.username).toBe('system:node:other');

  const read = async () => new X509Certificate(await readFile(join(credentials.certDir, 'kubelet-client-current.pem')));
  const first = await read();
  const absent = { ...options, bootstrapKubeconfig: join(folder, 'none') };
  await bootstrapFromFile({ ...absent, now: Date.now() });
  const afterEnd = Date.parse(first.validTo) + 1;
  await expect(bootstrapFromFile({ ...absent, now: afterEnd })).rejects.toThrow(join(folder, 'none'));
  await bootstrapFromFile({ ...options, now: afterEnd });
  expect((await read()).serialNumber).not.toBe(first.serialNumber);
}, 240_000);
