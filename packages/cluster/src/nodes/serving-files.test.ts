import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { silentLogger, VirtualClock } from '@coracle/base';
import type { NodeServer } from '@coracle/kubelet';
import { createAuthority, issueCertificate, systemClock } from '@coracle/platform-nodejs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { inProcessConnector } from './in-process-connector.js';
import { selfSignedServing } from './node-serving.js';
import { openNodePort, serveNodeWithFiles } from './serve-node.js';
import { readServingFiles } from './serving-files.js';

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const authority = await createAuthority('files-ca', validity);
const issue = (commonName: string) =>
  issueCertificate(authority, { ...validity, commonName, organizations: [], usage: 'server', dnsNames: [commonName] });

/** Writes certificate files for the kubelet. */
async function filesWith(commonName: string) {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-serving-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [certFile, keyFile, clientCaFile] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => join(folder, name));
  if (!certFile || !keyFile || !clientCaFile) throw new Error('there are no names');
  const write = async (name: string) => {
    const { certificate, key } = await issue(name);
    await Promise.all([writeFile(certFile, certificate), writeFile(keyFile, key)]);
  };
  await Promise.all([write(commonName), writeFile(clientCaFile, authority.certificate)]);
  return { files: { certificate: { certFile, keyFile }, clientCaFile }, write };
}

const server: NodeServer = {
  exchange: async () => ({ status: 200, headers: {}, body: { kind: 'empty' } }),
  connect: async () => ({ status: 400, headers: {}, body: { kind: 'empty' } }),
};

/** The subject of the server's certificate at a port. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** A port without a listener. */
async function freePort(): Promise<{ readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port };
}

const ownServing = async () => {
  const { serving } = await selfSignedServing(
    { nodeName: 'n', kubeletPort: 0 },
    { clientCa: authority.certificate, clock: systemClock },
  );
  if (!serving) throw new Error('there is no certificate');
  return { ...serving, host: '127.0.0.1' };
};

test('a kubelet serves with the certificate of its files, and with another once that is there', async () => {
  const { files, write } = await filesWith('first');
  const clock = new VirtualClock();
  const serving = { ...(await ownServing()), files };
  await using http = await serveNodeWithFiles(serving, () => server, { clock, logger: silentLogger });
  expect(await shownAt(http.port)).toBe('first');
  await write('second');
  expect(await shownAt(http.port)).toBe('first');
  await clock.advance(60_000);
  await vi.waitFor(async () => expect(await shownAt(http.port)).toBe('second'));
});

test('a kubelet without files generates a certificate', async () => {
  const parts = { clock: new VirtualClock(), logger: silentLogger };
  await using http = await serveNodeWithFiles(await ownServing(), () => server, parts);
  expect(await shownAt(http.port)).toBe('system:node:n');
});

test('missing files prevent the kubelet from serving', async () => {
  const files = { certificate: { certFile: '/nowhere/tls.crt', keyFile: '/nowhere/tls.key' } };
  const parts = { clock: new VirtualClock(), logger: silentLogger };
  await expect(serveNodeWithFiles({ ...(await ownServing()), files }, () => server, parts)).rejects.toThrow('ENOENT');
});

test('a CA bundle may be set alone', async () => {
  const { files } = await filesWith('first');
  expect(await readServingFiles({ clientCaFile: files.clientCaFile })).toEqual({ clientCa: authority.certificate });
});

test.each([
  { settings: {}, answers: true },
  { settings: { enableServer: false }, answers: false },
])('a kubelet with $settings serves: $answers', async ({ settings, answers }) => {
  const serving = await ownServing();
  const { port: free } = await freePort();
  const parts = { clock: new VirtualClock(), logger: silentLogger };
  await using open = await openNodePort({ serving: { ...serving, port: free }, settings, ...parts }, () => server);
  expect(open.port).toBe(free);
  const shown = shownAt(free);
  await (answers ? expect(shown).resolves.toBe('system:node:n') : expect(shown).rejects.toThrow('ECONNREFUSED'));
  expect(inProcessConnector({ server }, settings) !== undefined).toBe(answers);
});
