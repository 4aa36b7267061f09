import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import { createAuthority, issueCertificate, type KeyPair, openClusterPki, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRequestHeader } from './request-header.js';
import { type Cluster, startCluster } from './start-cluster.js';

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };

let folder: string;
let cluster: Cluster;
let proxyAuthority: KeyPair;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-proxies-'));
  proxyAuthority = await createAuthority('front-proxy-ca', validity);
  const clientCa = join(folder, 'front-proxy-ca.crt');
  await writeFile(clientCa, proxyAuthority.certificate);
  cluster = await startCluster({
    nodes: 0,
    dataDir: folder,
    components: { controllers: false, scheduler: false },
    requestHeader: {
      clientCa,
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    },
  });
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

const proxy = (commonName: string) =>
  issueCertificate(proxyAuthority, { ...validity, commonName, organizations: [], usage: 'client' });

/** The user that the server authenticates by a certificate, and its response. */
async function whoIs(identity: KeyPair, headers: Record<string, string | string[]> = {}): Promise<unknown> {
  const ca = await readFile(join(folder, 'pki/ca.crt'));
  return await new Promise((resolve, reject) => {
    const url = `${cluster.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
    const type = { 'content-type': 'application/json' };
    const options = {
      method: 'POST',
      ca,
      cert: identity.certificate,
      key: identity.key,
      headers: { ...type, ...headers },
    };
    const asking = request(url, { ...options, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(response.statusCode === 201 ? JSON.parse(text).status.userInfo : response.statusCode);
    });
    asking.on('error', reject);
    asking.end('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}');
  });
}

describe('AUTHN-19 a proxy with a certificate of the right CA', () => {
  test('authenticates the user that it names', async () => {
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'dev' };
    expect(await whoIs(await proxy('front-proxy-client'), headers)).toEqual({
      username: 'jane',
      groups: ['dev', 'system:authenticated'],
    });
  });

  test('names groups that have commas in their names, and several by several headers', async () => {
    const groups = ['CN=dev,O=system:masters', 'ops'];
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': groups };
    expect(await whoIs(await proxy('front-proxy-client'), headers)).toEqual({
      username: 'jane',
      groups: [...groups, 'system:authenticated'],
    });
  });

  test('is no user itself, and is ignored under another common name', async () => {
    expect(await whoIs(await proxy('front-proxy-client'))).toBe(401);
    expect(await whoIs(await proxy('system:admin'), { 'x-remote-user': 'jane' })).toBe(401);
  });

  test('other clients are themselves, with any headers', async () => {
    const read = (name: string) => readFile(join(folder, 'pki', name), 'utf8');
    const admin = { certificate: await read('admin.crt'), key: await read('admin.key') };
    expect(await whoIs(admin, { 'x-remote-user': 'jane' })).toMatchObject({ username: 'kubernetes-admin' });
  });

  test('SERVE-16 is published to aggregated API servers', () => {
    const { objects } = cluster.controlPlane.server;
    const map = objects.get(refs.configMaps, 'kube-system', 'extension-apiserver-authentication');
    expect(map?.data).toMatchObject({
      'client-ca-file': expect.stringContaining('BEGIN CERTIFICATE'),
      'requestheader-client-ca-file': proxyAuthority.certificate,
      'requestheader-allowed-names': '["front-proxy-client"]',
    });
  });
});

test('AUTHN-19 the CA of proxies may change while the server runs', async () => {
  const file = join(folder, 'changing-ca.crt');
  await writeFile(file, proxyAuthority.certificate);
  const pki = await openClusterPki({ folder: join(folder, 'pki'), clock: systemClock, serviceAddress: '10.96.0.1' });
  const headers = { allowedNames: [], usernameHeaders: [], uidHeaders: [], groupHeaders: [], extraHeaderPrefixes: [] };
  const proxies = await readRequestHeader({ clientCa: file, ...headers }, { pki });
  const [before] = proxies.options.authorities;
  expect(proxies.options.signClients).toBe(false);
  await writeFile(file, pki.ca.certificate);
  await proxies.refresh();
  expect(proxies.options.authorities).toHaveLength(1);
  expect(proxies.options.authorities[0]).not.toBe(before);
  expect(proxies.options.signClients).toBe(true);
  expect(proxies.info().clientCa).toBe(pki.ca.certificate);
  await writeFile(file, '');
  await expect(proxies.refresh()).rejects.toThrow('contains no certificate');
  expect(proxies.info().clientCa).toBe(pki.ca.certificate);
});
