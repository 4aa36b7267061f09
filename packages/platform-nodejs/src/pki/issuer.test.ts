// Node.js 20 breaks its own `tls` when `toLegacyObject` is called before that is loaded.
import 'node:tls';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificateSigner } from './certificate-signer.js';
import { issueCertificate } from './certificates.js';
import type { KeyPair } from './key-pair.js';
import { createSigningRequest } from './signing-request.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-issuers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const notBefore = Date.now() - 60_000;
const notAfter = notBefore + 3_600_000;
let request: Uint8Array;
beforeAll(async () => {
  const pem = (await createSigningRequest('jane', [])).request;
  request = new Uint8Array(Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64'));
});

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}

const config = `[req]
distinguished_name = name
x509_extensions = ca
prompt = no
[name]
O = Example
CN = kubernetes
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = 01:02:03:04
`;

/** A self-signed CA made by openssl, whose name and identifier are encoded differently. */
function authorityWith(key: string | Buffer): KeyPair {
  writeFileSync(join(folder, 'ca.key'), key);
  writeFileSync(join(folder, 'ca.cnf'), config);
  openssl('req', '-x509', '-new', '-key', 'ca.key', '-days', '2', '-out', 'ca.crt', '-config', 'ca.cnf');
  return { certificate: readFileSync(join(folder, 'ca.crt'), 'utf8'), key: String(key) };
}

function expectIssued(certificate: string, authority: KeyPair): void {
  const root = new X509Certificate(authority.certificate);
  expect(new X509Certificate(certificate).checkIssued(root)).toBe(true);
  writeFileSync(join(folder, 'leaf.crt'), certificate);
  openssl('verify', '-x509_strict', '-CAfile', 'ca.crt', 'leaf.crt');
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('authorities that openssl makes (needs the program openssl)', () => {
  test.each([
    ['an RSA key in PKCS #1', rsa.export({ type: 'pkcs1', format: 'pem' })],
    ['an RSA key in PKCS #8', rsa.export({ type: 'pkcs8', format: 'pem' })],
    ['a P-256 key in SEC 1', ec('prime256v1').export({ type: 'sec1', format: 'pem' })],
    ['a P-384 key', ec('secp384r1').export({ type: 'pkcs8', format: 'pem' })],
    ['a P-521 key', ec('secp521r1').export({ type: 'pkcs8', format: 'pem' })],
  ])('certificates of an authority with %s verify', async (_, key) => {
    const authority = authorityWith(key);
    const signer = createCertificateSigner(authority);
    expectIssued(await signer.sign({ request, usages: ['client auth'], notBefore, notAfter }), authority);
    const validity = { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
    const issued = await issueCertificate(authority, { commonName: 'n', usage: 'server', ...validity });
    expectIssued(issued.certificate, authority);
  });

  test('an authority with another kind of key is refused by its name', async () => {
    const authority = authorityWith(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const signing = createCertificateSigner(authority).sign({ request, usages: [], notBefore, notAfter });
    await expect(signing).rejects.toThrow("an authority's key must be RSA or ECDSA, not ed25519");
  });
});
