import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { createDashboard } from './dashboard.js';
import { DashboardFiles } from './dashboard-files.js';
import { DashboardSessions } from './dashboard-sessions.js';

const host = '127.0.0.1:8001';

function started() {
  const sessions = new DashboardSessions();
  const sent: ApiRequest[] = [];
  const dashboard = createDashboard({
    files: new DashboardFiles('/nowhere'),
    sessions,
    login: 'link',
    scheme: 'http',
    hosts: new Set([host]),
    cookieName: 'c',
    about: { server: 'https://cluster', namespace: 'default' },
    transportFor: async () => ({
      exchange: async (request) => {
        sent.push(request);
        return { status: 200, headers: { 'set-cookie': 'x', 'content-type': 'text/html' }, body: { kind: 'empty' } };
      },
    }),
  });
  const ask = (path: string, request: Partial<ApiRequest> = {}): Promise<ApiResponse> =>
    dashboard.exchange({ method: 'GET', path, query: '', ...request, headers: { host, ...request.headers } });
  const post = (token: string, headers: Record<string, string> = {}) =>
    ask('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://${host}`, ...headers },
      body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify({ token })) },
    });
  const begin = async () => {
    const answer = await post(sessions.issueLink());
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
    const { key } = JSON.parse(textOf(answer)) as { key: string };
    return { cookie, authorization: `Bearer ${key}` };
  };
  return { ask, post, begin, sessions, sent, dashboard };
}

function textOf({ body }: ApiResponse): string {
  return body.kind === 'bytes' ? new TextDecoder().decode(body.chunks[0]) : '';
}

test('a link works once, and sets a cookie that scripts cannot read', async () => {
  const { post, sessions } = started();
  const token = sessions.issueLink();
  const first = await post(token);
  expect([first.status, (await post(token)).status, (await post('guessed')).status]).toEqual([200, 401, 401]);
  expect(first.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Strict$/);
});

describe('the cluster is reached', () => {
  test('with cookie and key, without the credentials in the page', async () => {
    const { ask, begin, sent } = started();
    const { status, headers } = await ask('/cluster/api/v1/pods', { headers: await begin() });
    expect(status).toBe(200);
    expect(sent.map(({ path, headers }) => [path, Object.keys(headers)])).toEqual([['/api/v1/pods', ['user-agent']]]);
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['content-security-policy']).toContain('sandbox');
  });

  test.each<[string, (session: { cookie: string; authorization: string }) => Record<string, string>, number]>([
    ['the cookie alone, which other ports of the host get too', ({ cookie }) => ({ cookie }), 401],
    ['the key alone', ({ authorization }) => ({ authorization }), 401],
    ['another site', (session) => ({ ...session, origin: 'https://evil.example' }), 403],
    ['another port of the host', (session) => ({ ...session, origin: 'http://127.0.0.1:9999' }), 403],
    ['a page without an origin (sandboxed)', (session) => ({ ...session, origin: 'null' }), 403],
    ['a site that the browser names', (session) => ({ ...session, 'sec-fetch-site': 'cross-site' }), 401],
    ['another name of this machine (DNS rebinding)', (session) => ({ ...session, host: 'evil.example:8001' }), 421],
    ['no name at all', (session) => ({ ...session, host: '' }), 421],
  ])('not with %s', async (_, headers, status) => {
    const { ask, begin, sent } = started();
    expect((await ask('/cluster/api/v1/pods', { headers: headers(await begin()) })).status).toBe(status);
    expect(sent).toEqual([]);
  });

  test('no longer when the session has ended', async () => {
    const { ask, begin } = started();
    const headers = await begin();
    await ask('/session', { method: 'DELETE', headers });
    expect((await ask('/cluster/version', { headers })).status).toBe(401);
  });
});

test.each([
  ['text/plain', 400],
  ['application/x-www-form-urlencoded', 400],
])('a form of another site begins no session (%s)', async (type, status) => {
  const { post, sessions } = started();
  expect((await post(sessions.issueLink(), { 'content-type': type })).status).toBe(status);
});

test('a stream needs cookie, key and origin', async () => {
  const { dashboard, begin } = started();
  const { cookie, authorization } = await begin();
  const key = Buffer.from(authorization.slice('Bearer '.length)).toString('base64url');
  const protocols = [`base64url.bearer.authorization.k8s.io.${key}`, 'stream.dashboard.coracle'];
  const open = async (headers: Record<string, string>, offered = protocols) => {
    const opened = await dashboard.upgrade(
      { method: 'GET', path: '/stream', query: '', headers: { host, ...headers } },
      offered,
    );
    return 'status' in opened ? opened.status : opened.protocol;
  };
  const origin = `http://${host}`;
  expect([
    await open({ cookie, origin }),
    await open({ cookie }),
    await open({ origin }),
    await open({ cookie, origin }, protocols.slice(1)),
    await open({ cookie, origin: 'http://evil.example' }),
  ]).toEqual(['stream.dashboard.coracle', 401, 401, 401, 403]);
});
