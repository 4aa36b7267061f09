import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEtcdStore, systemClock } from '@coracle/platform-nodejs';
import { StoreError } from '@coracle/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdCluster, hasEtcd } from './etcd-process.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasEtcd || !hasOpenssl)('etcd with mutual TLS (needs the programs etcd and openssl)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'coracle-etcd-tls-'));
  const file = (name: string) => join(directory, name);
  let cluster: EtcdCluster;

  beforeAll(async () => {
    makeCertificates(directory);
    const flags = ['--cert-file', file('leaf.pem'), '--key-file', file('leaf.key')];
    cluster = await EtcdCluster.start(1, [...flags, '--client-cert-auth', '--trusted-ca-file', file('ca.pem')]);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  test('OP-2 a client with a certificate reads and writes', async () => {
    const [ca, certificate, key] = ['ca.pem', 'leaf.pem', 'leaf.key'].map((name) => readFileSync(file(name)));
    const tls = { ca: ca!, certificate: certificate!, key: key! };
    await using store = await createEtcdStore({ endpoints: cluster.endpoints, clock: systemClock, tls });
    await store.transact({ compare: [], operations: [{ kind: 'put', key: '/a', value: Buffer.from('x') }] });
    expect((await store.get('/a'))?.version).toBe(1);
  });

  test('OP-2 one without is turned away', async () => {
    const tls = { ca: readFileSync(file('ca.pem')) };
    await using store = await createEtcdStore({
      endpoints: cluster.endpoints,
      clock: systemClock,
      tls,
      timeoutMs: 500,
    });
    await expect(store.get('/a')).rejects.toSatisfy((error) => StoreError.is(error, 'Unavailable'));
  });
});

/** An authority, and one certificate of it for server and client alike. */
function makeCertificates(directory: string): void {
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: directory });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test-ca', '-days', '2');
  openssl('req', ...newKey, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=etcd');
  writeFileSync(join(directory, 'names'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'leaf.csr', '-out', 'leaf.pem', ...signing);
}
