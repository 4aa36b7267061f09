import { mkdtempSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Deferred } from '@coracle/base';
import { expect, onTestFinished, test } from 'vitest';
import { openClusterPki } from '../pki/cluster-pki.js';
import { systemClock } from '../system-clock.js';
import { createEtcdStore } from './create-etcd-store.js';

async function reach(server: { readonly hasAddress: boolean }): Promise<string | false | null | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-etcd-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  const { certificate: cert, key } = server.hasAddress ? pki.server : pki.admin;
  const http = createSecureServer({ cert, key });
  const name = new Deferred<string | false | null | undefined>();
  http.on('session', (session) => name.resolve((session.socket as TLSSocket).servername));
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  const tls = { ca: new TextEncoder().encode(pki.ca.certificate) };
  await using store = await createEtcdStore({
    endpoints: [`https://127.0.0.1:${port}`],
    tls,
    clock: systemClock,
    timeoutMs: 2_000,
  });
  const failure = store.get('/registry/health').catch((error: Error) => Promise.reject(error));
  return await Promise.race([name.promise, failure.then(() => undefined)]);
}

test('an etcd at an IP address gets no address as the server name of TLS', async () => {
  expect(await reach({ hasAddress: true })).toBe('etcd');
});

test('its certificate must be for that address', async () => {
  await expect(reach({ hasAddress: false })).rejects.toThrow();
});
