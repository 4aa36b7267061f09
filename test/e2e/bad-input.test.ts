import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Status } from '@coracle/apimachinery';
import { parseKubeconfig } from '@coracle/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from './client-of.js';
import { RunningCluster } from './running-cluster.js';

interface Message {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

let cluster: RunningCluster;
let identity: { readonly cert: Buffer; readonly key: Buffer; readonly ca: Buffer };
beforeAll(async () => {
  cluster = await RunningCluster.start({ flags: ['--nodes', '1', '--store', 'memory'] });
  identity = identityOf(cluster.kubeconfig);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };

describe('bad requests over real sockets get the right status and a clear message', () => {
  test.each([
    ['an unknown path', { path: '/nowhere' }, 404, 'NotFound', 'could not find the requested resource'],
    ['an unknown group', { path: '/apis/none.io/v1/things' }, 404, 'NotFound', 'could not find the requested resource'],
    ['an unknown version', { path: '/api/v7/pods' }, 404, 'NotFound', 'could not find the requested resource'],
    ['an unknown resource', { path: '/api/v1/spaceships' }, 404, 'NotFound', 'could not find the requested resource'],
    [
      'a method that is not there',
      { method: 'PUT', path: configMaps, headers: json },
      405,
      'MethodNotAllowed',
      'does not allow this method',
    ],
    [
      'broken JSON',
      { method: 'POST', path: configMaps, body: '{"kind":', headers: json },
      400,
      'BadRequest',
      'json parse error',
    ],
    ['broken YAML', { method: 'POST', path: configMaps, body: 'a: [', headers: yaml }, 400, 'BadRequest', 'yaml: '],
    [
      'an unknown content type',
      { method: 'POST', path: configMaps, body: 'x', headers: { 'content-type': 'text/x' } },
      415,
      'UnsupportedMediaType',
      'accepted media types include',
    ],
    [
      'a form that nobody has',
      { path: configMaps, headers: { accept: 'image/png' } },
      406,
      'NotAcceptable',
      'only the following media types are accepted',
    ],
    [
      'a broken label selector',
      { path: `${configMaps}?labelSelector=a%3D%3D%3Db` },
      400,
      'BadRequest',
      "found '=', expected: identifier",
    ],
    [
      'a field that cannot be selected on',
      { path: `${configMaps}?fieldSelector=spec.colour%3Dred` },
      400,
      'BadRequest',
      'spec.colour',
    ],
    ['a broken limit', { path: `${configMaps}?limit=many` }, 400, 'BadRequest', 'many'],
    ['a broken continue token', { path: `${configMaps}?continue=xyz` }, 400, 'BadRequest', 'continue'],
    ['a broken resourceVersion', { path: `${configMaps}?resourceVersion=new` }, 400, 'BadRequest', 'new'],
    [
      'values that never leave the process',
      { path: '/nowhere', headers: { 'x-coracle-accepts-values': '1' } },
      404,
      'NotFound',
      '',
    ],
  ])('%s', async (_name, message: Message, code, reason, words) => {
    const { status, body } = await send(message);
    expect({ status, kind: body.kind, reason: body.reason, message: body.message }).toEqual({
      status: code,
      kind: 'Status',
      reason,
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ['a token that is none', 'nonsense'],
    ['a token that somebody else signed', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.'],
  ])('%s', async (_name, token) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await send({ path: configMaps, headers }, { anonymous: true });
    expect([status, body.reason, body.message]).toEqual([401, 'Unauthorized', 'Unauthorized']);
  });

  test('nobody in particular', async () => {
    const { status, body } = await send({ path: configMaps }, { anonymous: true });
    expect([status, body.reason]).toEqual([403, 'Forbidden']);
    expect(body.message).toContain('User "system:anonymous" cannot list resource "configmaps"');
  });
});

describe('what is meant to hurt leaves the server up, and its memory flat', () => {
  test('a YAML bomb is refused', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) =>
        `l${i}: &l${i} [${Array(12)
          .fill(i ? `*l${i - 1}` : 'x')
          .join(',')}]`,
    );
    const { status } = await send({ method: 'POST', path: configMaps, body: levels.join('\n'), headers: yaml });
    expect(status).toBe(400);
  });

  test('deep nesting is refused', async () => {
    const body = '{"a":'.repeat(200_000);
    expect((await send({ method: 'POST', path: configMaps, body, headers: json })).status).toBe(400);
  });

  test('bodies of 100 MB are refused with 413 and never held', async () => {
    await send({ path: '/version' });
    const before = cluster.residentBytes;
    for (let round = 0; round < 5; round++) {
      expect(await sendMegabytes(100)).toBe(413);
    }
    expect(cluster.residentBytes - before).toBeLessThan(80 * 1024 * 1024);
  }, 60_000);

  test('hundreds of connections that never finish their request do not keep others from being answered', async () => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => slowConnection()));
    const startedAt = performance.now();
    expect((await send({ path: '/version' })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  test('watches whose clients are gone or read nothing cost the others nothing', async () => {
    await using connection = await clientOf(cluster.kubeconfig);
    const maps = connection.client.configMaps('default');
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'busy' } });
    const stuck = await Promise.all(Array.from({ length: 50 }, () => stuckWatch()));
    const before = cluster.residentBytes;
    const padding = 'x'.repeat(50_000);
    for (let round = 0; round < 100; round++)
      await maps.patch('busy', { data: { padding, round: String(round) } }, { type: 'merge' });
    expect((await maps.get('busy')).data?.['round']).toBe('99');
    expect(cluster.residentBytes - before).toBeLessThan(250 * 1024 * 1024);
    for (const socket of stuck) socket.destroy();
    expect((await send({ path: '/readyz' })).status).toBe(200);
  }, 60_000);

  test('noise instead of HTTP ends the connection and nothing else', async () => {
    const socket = await connection();
    socket.end('\0\u0001\u0002 not http at all\r\n\r\n');
    await new Promise((resolve) => socket.resume().on('close', resolve));
    expect((await send({ path: '/livez' })).status).toBe(200);
  });
});

async function send(message: Message, { anonymous = false } = {}): Promise<{ status: number; body: Status }> {
  const { method = 'GET', path, body, headers = {} } = message;
  const credentials = anonymous ? { ca: identity.ca } : identity;
  const request = httpsRequest(`${cluster.url}${path}`, { method, headers, agent: false, ...credentials });
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return { status: response.statusCode, body: isJson ? JSON.parse(text) : { message: text } };
}

/** Says how much will come only by sending it. */
async function sendMegabytes(count: number): Promise<number> {
  const request = httpsRequest(`${cluster.url}${configMaps}`, {
    method: 'POST',
    headers: json,
    agent: false,
    ...identity,
  });
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const answered = once(request, 'response');
  let ended = false;
  request.on('error', () => {
    ended = true;
  });
  for (let sent = 0; sent < count && !ended; sent++) {
    if (!request.write(megabyte)) await Promise.race([once(request, 'drain'), answered]);
  }
  request.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

async function connection(): Promise<TLSSocket> {
  const socket = tlsConnect({ port: cluster.port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'], ...identity });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

async function slowConnection(): Promise<TLSSocket> {
  const socket = await connection();
  socket.write('GET /version HTTP/1.1\r\nHost: a\r\nX-');
  return socket;
}

async function stuckWatch(): Promise<TLSSocket> {
  const socket = await connection();
  socket.write(`GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n`);
  await once(socket, 'readable');
  socket.pause();
  return socket;
}

function identityOf(kubeconfig: string): typeof identity {
  const { clusters = [], users = [] } = parseKubeconfig(readFileSync(kubeconfig, 'utf8'));
  const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64');
  return {
    ca: decode(clusters[0]?.cluster['certificate-authority-data']),
    cert: decode(users[0]?.user['client-certificate-data']),
    key: decode(users[0]?.user['client-key-data']),
  };
}
