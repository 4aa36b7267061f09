import { once } from 'node:events';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { channelPair, failure } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';
import { serveUpgrades } from './upgrade.js';

let held = new Deferred<void>();

const { server, pki } = await serveTests({
  exchange: async ({ path }) => {
    if (path === '/held') await held.promise;
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [Buffer.from('first')] } };
  },
  onUpgrade: serveUpgrades(async ({ path }) => {
    if (path === '/no') throw failure('NotFound', 'no such pod');
    if (path === '/plain')
      return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [Buffer.from('no upgrade')] } };
    const [ours, theirs] = channelPair('SPDY/3.1+v4.channel.k8s.io');
    ours.send(Buffer.from('channel'));
    ours[Symbol.dispose]();
    return theirs;
  }),
});

async function connect(): Promise<TLSSocket> {
  const { port } = server;
  const secure = tlsConnect({ port, ca: pki.ca.certificate, ALPNProtocols: ['http/1.1'], servername: 'localhost' });
  await once(secure, 'secureConnect');
  return secure;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const upgrade = (path: string, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n` +
  'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n';

/** What there is to read until the connection ends. */
async function readAll(secure: TLSSocket): Promise<string> {
  let text = '';
  for await (const chunk of secure) text += chunk;
  return text;
}

/** When another client has its answer, the server has read what was sent before. */
async function roundTrip(): Promise<void> {
  const other = await connect();
  other.write(get('/', 'Connection: close\r\n'));
  await readAll(other);
}

describe('an upgrade on a connection of HTTP/1.1 whose last answer is on its way', () => {
  test.each([
    ['is granted', '/yes', /101 Switching Protocols.*channel$/s],
    ['is refused', '/no', /404 Not Found.*no such pod/s],
    ['is answered without an upgrade', '/plain', /200 OK.*no upgrade$/s],
  ])('%s after that answer', async (_what, path, expected) => {
    held = new Deferred();
    const secure = await connect();
    secure.write(get('/held') + upgrade(path));
    const all = readAll(secure);
    await roundTrip();
    held.resolve();
    const text = await all;
    expect(text).toMatch(/^HTTP\/1.1 200 OK.*first/s);
    expect(text.slice(text.indexOf('first'))).toMatch(expected);
  });

  test('is refused without a body if it is a HEAD', async () => {
    const secure = await connect();
    secure.write(upgrade('/no', 'HEAD'));
    const text = await readAll(secure);
    expect(text).toMatch(/^HTTP\/1.1 404 Not Found.*\r\n\r\n$/s);
  });
});
