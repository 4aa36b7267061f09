import 'node:tls';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DisposableStack, silentLogger } from '@coracle/base';
import { createAuthority, createSigningRequest, type KeyPair } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CertificateSigner, reloadedSigner, reloadedSigners } from './certificate-signers.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-signers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const patient = { timeout: 30_000, interval: 10 };
const notBefore = Date.UTC(2026, 0, 1);
const notAfter = Date.UTC(2027, 0, 1);

let authorities: [KeyPair, KeyPair];
let request: Uint8Array;
beforeAll(async () => {
  const validity = { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
  authorities = await Promise.all([createAuthority('old', validity), createAuthority('new', validity)]);
  const pem = (await createSigningRequest('jane', [])).request;
  request = new Uint8Array(Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64'));
});

function filesOf(name: string) {
  return { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
}

function write({ certFile, keyFile }: ReturnType<typeof filesOf>, certificate: KeyPair, key = certificate): void {
  writeFileSync(certFile, certificate.certificate);
  writeFileSync(keyFile, key.key);
}

/** The name of the authority that signs now. */
async function issuerOf(signer: CertificateSigner | undefined): Promise<string | undefined> {
  const pem = await signer?.sign({ request, usages: ['client auth'], notBefore, notAfter });
  return pem && new X509Certificate(pem).issuer;
}

test('a signer reads its pair again when the files change, and not while certificate and key do not match', async () => {
  await using parts = new DisposableStack();
  const files = filesOf('changing');
  const [first, second] = authorities;
  write(files, first);
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (_message: string, fields?: object) => void errors.push(fields) };
  const signer = await reloadedSigner(files, { logger, parts, periodMs: 5 });
  expect(await issuerOf(signer)).toBe('CN=old');
  write(files, second, first);
  await vi.waitFor(() => expect(errors).toHaveLength(1), patient);
  expect(String(Object(errors[0]).error)).toContain('changing.key is not the key of');
  expect(await issuerOf(signer)).toBe('CN=old');
  write(files, second);
  await vi.waitFor(async () => expect(await issuerOf(signer)).toBe('CN=new'), patient);
});

test('a pair that does not match is rejected at the start', async () => {
  await using parts = new DisposableStack();
  const [first, second] = authorities;
  write(filesOf('mixed'), first, second);
  await expect(reloadedSigner(filesOf('mixed'), { logger: silentLogger, parts })).rejects.toThrow(
    'mixed.key is not the key of',
  );
});

test('each signer has the CA of its own files', async () => {
  await using parts = new DisposableStack();
  const [first, second] = authorities;
  write(filesOf('one'), first);
  write(filesOf('two'), second);
  const files = { 'kubernetes.io/kubelet-serving': filesOf('one'), 'kubernetes.io/legacy-unknown': filesOf('two') };
  const signers = await reloadedSigners(files, { logger: silentLogger, parts });
  expect(await issuerOf(signers['kubernetes.io/kubelet-serving'])).toBe('CN=old');
  expect(await issuerOf(signers['kubernetes.io/legacy-unknown'])).toBe('CN=new');
  expect(Object.keys(signers)).toHaveLength(2);
});
