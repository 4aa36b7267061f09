import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from '@coracle/apimachinery';
import { silentLogger, VirtualClock } from '@coracle/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateFiles, ownCertificates, type ServeWebhooksOptions, serveWebhooks } from './webhook-server.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'coracle-webhooks-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const dayMs = 24 * 3_600_000;
/** Sends the body back, so that a test sees that it came through. */
const echo: Exchange = async ({ path, body }) => {
  const bytes = body?.kind === 'bytes' ? body.bytes : new Uint8Array();
  return { status: 200, headers: { 'x-path': path }, body: { kind: 'bytes', chunks: [bytes] } };
};

function post(port: number, ca: string, body: string): Promise<{ readonly text: string; readonly serial: string }> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path: '/validate',
        method: 'POST',
        ca,
        servername: 'webhooks.default.svc',
        agent: false,
      },
      (response) => {
        const { serialNumber: serial } = (response.socket as TLSSocket).getPeerCertificate();
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ text: `${response.headers['x-path']} ${text}`, serial }));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** Webhooks on a port that was free. */
async function served(
  options: Pick<ServeWebhooksOptions, 'certificates' | 'clock' | 'checkEveryMs'>,
): Promise<AsyncDisposable & { readonly port: number }> {
  let port = 0;
  const onListening = (at: number) => void (port = at);
  const serve = serveWebhooks({ ...options, logger: silentLogger, host: '127.0.0.1', port: 0, onListening });
  const server = await serve(echo);
  return { port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('webhooks over HTTPS', () => {
  test('are trusted by who has the authority, and get a new certificate in time without a restart', async () => {
    // TLS looks at the real time, which is the last moment of this test.
    const clock = new VirtualClock({ startAt: Date.now() - 7 * dayMs });
    const certificates = ownCertificates({ folder, clock, dnsNames: ['webhooks.default.svc'], validForMs: 9 * dayMs });
    await using server = await served({ certificates, clock, checkEveryMs: dayMs });
    const ca = await certificates.authority();
    const first = await post(server.port, ca, '{"a":1}');
    expect(first.text).toBe('/validate {"a":1}');
    await clock.advance(5 * dayMs);
    expect((await post(server.port, ca, '')).serial).toBe(first.serial);
    await clock.advance(2 * dayMs);
    // Certificates are made and written in real time, which the clock does not wait for.
    let { serial } = first;
    for (let tries = 0; tries < 500 && serial === first.serial; tries++) ({ serial } = await post(server.port, ca, ''));
    expect(serial).not.toBe(first.serial);
    expect(await certificates.authority()).toBe(ca);
  });

  test('are not reached by who does not trust the authority', async () => {
    const clock = new VirtualClock({ startAt: Date.now() });
    const options = { clock, dnsNames: ['webhooks.default.svc'] };
    const other = ownCertificates({ ...options, folder: join(folder, 'other') });
    const certificates = ownCertificates({ ...options, folder: join(folder, 'own') });
    await using server = await served({ certificates, clock });
    await expect(post(server.port, await other.authority(), '')).rejects.toThrow(/signature|certificate/);
  });

  test('use the certificate that stands in a folder', async () => {
    const clock = new VirtualClock({ startAt: Date.now() });
    const made = join(folder, 'made');
    const pair = await ownCertificates({ folder: made, clock, dnsNames: ['a'] }).current();
    expect(await certificateFiles(made).current()).toEqual(pair);
    await expect(certificateFiles(join(folder, 'nowhere')).current()).rejects.toThrow('ENOENT');
  });

  test('make another certificate when their names change', async () => {
    const clock = new VirtualClock({ startAt: Date.now() });
    const named = (name: string) => ownCertificates({ folder: join(folder, 'named'), clock, dnsNames: [name] });
    const first = await named('a.default.svc').current();
    expect(await named('a.default.svc').current()).toEqual(first);
    const second = await named('b.default.svc').current();
    expect(new X509Certificate(second.certificate).checkHost('b.default.svc')).toBeTruthy();
  });
});
