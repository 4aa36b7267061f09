import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClusterPki, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkPemFiles } from './pem-files.js';

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-test-'));
  await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  await writeFile(path('text'), 'no PEM\n');
  const damaged = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
  await writeFile(path('damaged.crt'), damaged('CERTIFICATE'));
  await writeFile(path('damaged.key'), damaged('PRIVATE KEY'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  await writeFile(path('encrypted.key'), privateKey.export(encryption));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['clientCaFile', 'text', '--client-ca-file: unable to load "FILE": there is no certificate in it'],
  ['etcdCafile', 'damaged.crt', '--etcd-cafile: unable to load "FILE": its certificate is damaged'],
  ['rootCaFile', '', '--root-ca-file: unable to load "FILE": it is a directory'],
  ['tlsCertFile', 'text', '--tls-cert-file: unable to load "FILE": there is no certificate in it'],
  ['kubeletClientKey', 'text', '--kubelet-client-key: unable to load "FILE": there is no private key in it'],
  ['serviceAccountSigningKeyFile', 'damaged.key', 'unable to load "FILE": its key is damaged'],
  ['serviceAccountPrivateKeyFile', 'encrypted.key', 'unable to load "FILE": its key is encrypted'],
])('FLAG-57 %s of %j fails with the flag, the file and the reason', async (flag, name, message) => {
  await expect(checkPemFiles({ [flag]: path(name) })).rejects.toThrow(message.replace('FILE', path(name)));
});

test.each([
  ['text', 'there is no key in it'],
  ['damaged.key', 'its key is damaged'],
  ['', 'it is a directory'],
])('FLAG-57 --service-account-key-file of %j fails with the flag, the file and the reason', async (name, reason) => {
  const serviceAccountKeyFile = [path('ca.key'), path('ca.crt'), path(name)];
  await expect(checkPemFiles({ serviceAccountKeyFile })).rejects.toThrow(
    `--service-account-key-file: unable to load "${path(name)}": ${reason}`,
  );
});

test.each([
  ['--tls-private-key-file', { tlsCertFile: 'apiserver.crt', tlsPrivateKeyFile: 'ca.key' }],
  ['--cluster-signing-key-file', { clusterSigningCertFile: 'ca.crt', clusterSigningKeyFile: 'apiserver.key' }],
])('FLAG-57 %s must be the key of the certificate', async (flag, names) => {
  const files = Object.fromEntries(Object.entries(names).map(([name, file]) => [name, path(file)]));
  const [certificate, key] = Object.values(files);
  await expect(checkPemFiles(files)).rejects.toThrow(`${flag}: ${key} is not the key of ${certificate}`);
});

test('FLAG-57 certificates of single host names are checked too', async () => {
  const tlsSniCertKey = [{ certificate: path('apiserver.crt'), key: path('ca.key'), names: [] }];
  await expect(checkPemFiles({ tlsSniCertKey })).rejects.toThrow(/^--tls-sni-cert-key: .* is not the key of /);
});

test('FLAG-57 files that fit are accepted', async () => {
  await checkPemFiles({
    clientCaFile: path('ca.crt'),
    tlsCertFile: path('apiserver.crt'),
    tlsPrivateKeyFile: path('apiserver.key'),
    tlsSniCertKey: [{ certificate: path('apiserver.crt'), key: path('apiserver.key'), names: [] }],
    serviceAccountSigningKeyFile: path('ca.key'),
    etcdCafile: undefined,
  });
});
