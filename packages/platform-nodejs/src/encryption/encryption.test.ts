import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { encryptedStore, type TransformersOf } from '@coracle/apiserver';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../etcd/protobuf.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { readEncryptionConfig } from './encryption-config.js';
import { connectKms } from './kms-connection.js';

const path = '/registry/secrets/default/a';
const text = (value: Uint8Array | undefined) => new TextDecoder().decode(value);
const bytes = (value: string) => new TextEncoder().encode(value);
const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const config = (...providers: object[]) => ({
  kind: 'EncryptionConfiguration',
  apiVersion: 'apiserver.config.k8s.io/v1',
  resources: [{ resources: ['secrets'], providers }],
});
const keys = (...names: string[]) => ({ keys: names.map((name, i) => ({ name, secret: secret(i + name.length) })) });
const read = (...providers: object[]) => readEncryptionConfig(config(...providers), { connect: connectKms });

async function open(first: TransformersOf) {
  const raw = await createMemoryStore({ clock: new VirtualClock() });
  let current = first;
  const store = encryptedStore(raw, (key) => current(key));
  const put = async (key: string, value: string) => {
    const modRevision = (await raw.get(key))?.modRevision ?? 0;
    await store.transact({ compare: [{ key, modRevision }], operations: [{ kind: 'put', key, value: bytes(value) }] });
  };
  return { raw, store, put, use: (next: TransformersOf) => (current = next) };
}

describe('encryption at rest', () => {
  test.each([
    ['aescbc', { aescbc: keys('key1') }],
    ['aesgcm', { aesgcm: keys('key1') }],
    ['secretbox', { secretbox: keys('key1') }],
  ])('%s writes what kube-apiserver reads, and nothing that can be read without the key', async (kind, provider) => {
    const { raw, store, put } = await open(await read(provider));
    await put(path, 'swordfish');
    const stored = text((await raw.get(path))?.value);
    expect(stored.startsWith(`k8s:enc:${kind}:v1:key1:`)).toBe(true);
    expect(stored).not.toContain('swordfish');
    expect(text((await store.get(path))?.value)).toBe('swordfish');
    expect((await store.list('/registry/secrets/')).items.map(({ value }) => text(value))).toEqual(['swordfish']);
  });

  test('other resources stay as they are', async () => {
    const { raw, put } = await open(await read({ aesgcm: keys('key1') }));
    await put('/registry/configmaps/default/a', 'plain');
    expect(text((await raw.get('/registry/configmaps/default/a'))?.value)).toBe('plain');
  });

  test('a value that was moved to another key cannot be read there', async () => {
    const { raw, store, put } = await open(await read({ aesgcm: keys('key1') }));
    await put(path, 'swordfish');
    const value = (await raw.get(path))?.value ?? new Uint8Array();
    const other = '/registry/secrets/kube-system/b';
    await raw.transact({ compare: [], operations: [{ kind: 'put', key: other, value }] });
    await expect(store.get(other)).rejects.toThrow();
  });

  test('a key is rotated: old values are read, recognized as stale, and rewritten', async () => {
    const { raw, store, put, use } = await open(await read({ identity: {} }));
    await put(path, 'swordfish');
    use(await read({ aescbc: keys('old') }, { identity: {} }));
    expect(text((await store.get(path))?.value)).toBe('swordfish');
    expect(store.isStale?.(path)).toBe(true);
    await put(path, 'swordfish');
    expect(store.isStale?.(path)).toBe(false);
    use(await read({ aesgcm: keys('newer') }, { aescbc: keys('old') }));
    expect([text((await store.get(path))?.value), store.isStale?.(path)]).toEqual(['swordfish', true]);
    await put(path, 'swordfish');
    expect(text((await raw.get(path))?.value).startsWith('k8s:enc:aesgcm:v1:newer:')).toBe(true);
    use(await read({ aesgcm: keys('other') }));
    await expect(store.get(path)).rejects.toThrow('no matching prefix found');
  });

  test('a watch delivers decrypted values, in order', async () => {
    const { raw, store, put } = await open(await read({ aesgcm: keys('key1') }));
    const seen: string[] = [];
    const watch = store.watch('/registry/secrets/', (await raw.currentRevision()) + 1, {
      onEvents: (events) => seen.push(...events.map(({ keyValue }) => text(keyValue.value))),
      onError: (error) => seen.push(error.message),
    });
    for (const value of ['a', 'b', 'c']) await put(path, value);
    watch[Symbol.dispose]();
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test.each([
    [{ aescbc: { keys: [{ name: 'k', secret: 'c2hvcnQ=' }] } }, 'secret is not of the expected length, got 5'],
    [{ aescbc: { keys: [{ name: 'k', secret: 'not base64!' }] } }, 'must be base64'],
    [{ aescbc: { keys: [] } }, 'at least one key'],
    [{ rot13: {} }, 'unknown field "rot13"'],
    [{ aescbc: keys('a'), identity: {} }, 'more than one provider'],
    [{ kms: { apiVersion: 'v2', name: 'k', endpoint: 'http://x' } }, 'unsupported scheme'],
  ])('%j is refused, and no key is in the error', async (provider, problem) => {
    const failure = await read(provider).catch((error: Error) => error.message);
    expect(failure).toContain(problem);
    expect(failure).not.toContain('c2hvcnQ');
  });
});

/** A plugin that encrypts by reversing bytes, on its own socket. */
async function startPlugin(keyId: () => string): Promise<string> {
  const flip = (value: Uint8Array = new Uint8Array()) => value.map((byte) => byte ^ 0xff);
  const method = (name: string, handle: (request: Buffer) => Uint8Array) => ({
    path: `/v2.KeyManagementService/${name}`,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: Buffer) => value,
    requestDeserialize: (value: Buffer) => value,
    responseSerialize: (value: Buffer) => value,
    responseDeserialize: (value: Buffer) => value,
    handle,
  });
  const first = { value: { number: 1, type: 'bytes' } } as const;
  const sealed = { ciphertext: { number: 1, type: 'bytes' }, keyId: { number: 2, type: 'text' } } as const;
  const status = {
    version: { number: 1, type: 'text' },
    healthz: { number: 2, type: 'text' },
    keyId: { number: 3, type: 'text' },
  } as const;
  const service = {
    Status: method('Status', () => encodeMessage(status, { version: 'v2', healthz: 'ok', keyId: keyId() })),
    Encrypt: method('Encrypt', (request) =>
      encodeMessage(sealed, { ciphertext: flip(decodeMessage(first, request).value), keyId: keyId() }),
    ),
    Decrypt: method('Decrypt', (request) => encodeMessage(first, { value: flip(decodeMessage(first, request).value) })),
  };
  const server = new Server();
  server.addService(
    service,
    Object.fromEntries(
      Object.entries(service).map(([name, { handle }]) => [
        name,
        (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) =>
          done(null, Buffer.from(handle(call.request))),
      ]),
    ),
  );
  const endpoint = `unix://${join(await temporaryFolder(), 'kms.sock')}`;
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(endpoint.replace('unix:///', 'unix:/'), ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return endpoint;
}

describe('KMS v2', () => {
  test('encrypts a seed once and derives a key for each value; another process decrypts it', async () => {
    let calls = 0;
    const endpoint = await startPlugin(() => {
      calls++;
      return 'key-1';
    });
    const provider = { kms: { apiVersion: 'v2', name: 'plugin', endpoint, timeout: '3s' } };
    const { raw, store, put, use } = await open(await read(provider));
    for (let i = 0; i < 20; i++) await put(`${path}-${i}`, `swordfish-${i}`);
    const stored = await raw.list('/registry/secrets/');
    expect(stored.items.every(({ value }) => text(value).startsWith('k8s:enc:kms:v2:plugin:'))).toBe(true);
    expect(stored.items.some(({ value }) => text(value).includes('swordfish'))).toBe(false);
    expect(calls).toBeLessThan(5);
    use(await read(provider));
    expect(text((await store.get(`${path}-7`))?.value)).toBe('swordfish-7');
  });

  test('an unreachable plugin is reported when the configuration is read', async () => {
    const provider = { kms: { apiVersion: 'v2', name: 'plugin', endpoint: 'unix:///nowhere.sock', timeout: '200ms' } };
    await expect(read(provider)).rejects.toThrow('kms plugin');
  });
});
