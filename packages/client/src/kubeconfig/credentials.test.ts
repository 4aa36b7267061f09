import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { CachedCredentials } from './credential-source.js';
import { execInfo, isInteractive, parseExecCredential } from './exec-credential.js';
import type { ExecEntry } from './kubeconfig.js';
import { issueOidcToken, type OidcProvider } from './oidc-credentials.js';

const exec: ExecEntry = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  interactiveMode: 'IfAvailable',
};
const printed = (status: object) => JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, status });

describe('credentials of a program', () => {
  test('are a token, a key pair, and the time of their expiry', () => {
    const status = {
      token: 't',
      clientCertificateData: 'C',
      clientKeyData: 'K',
      expirationTimestamp: '2026-01-01T00:00:00Z',
    };
    expect(parseExecCredential(printed(status), exec)).toEqual({
      credentials: { token: 't', clientCertificate: 'C', clientKey: 'K' },
      expiresAt: Date.UTC(2026, 0, 1),
    });
  });

  test.each([
    { output: 'Please log in', says: 'no JSON object' },
    { output: printed({}), says: "didn't return a token or cert/key pair" },
    { output: printed({ clientCertificateData: 'C' }), says: 'only certificate or key' },
    {
      output: '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}',
      says: 'plugin returned version',
    },
  ])('$says', ({ output, says }) => {
    expect(() => parseExecCredential(output, exec)).toThrow(says);
  });

  test('a program receives the cluster only with provideClusterInfo', () => {
    const cluster = { server: 'https://x', extension: { audience: 'y' } };
    const info = (entry: ExecEntry) => JSON.parse(execInfo(entry, { interactive: false, cluster })).spec;
    expect(info(exec)).toEqual({ interactive: false });
    expect(info({ ...exec, provideClusterInfo: true })).toEqual({
      interactive: false,
      cluster: { server: 'https://x', config: { audience: 'y' } },
    });
  });

  test('a credential plugin that needs a terminal fails without one', () => {
    expect(() => isInteractive({ ...exec, interactiveMode: 'Always' }, false)).toThrow('not a terminal');
    expect(isInteractive(exec, false)).toBe(false);
    expect(isInteractive({ ...exec, interactiveMode: 'Never' }, true)).toBe(false);
    expect(isInteractive({ apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'x' }, true)).toBe(true);
  });
});

describe('CachedCredentials', () => {
  test('requests credentials once for many callers, again when they expire, and again when they were rejected', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const source = new CachedCredentials({
      clock,
      issue: async () => ({ credentials: { token: `t${++count}` }, expiresAt: clock.now() + 60_000 }),
    });
    const [a, b] = await Promise.all([source.current(), source.current()]);
    await clock.advance(60_000);
    const c = await source.current();
    source.rejected(a);
    const still = await source.current();
    source.rejected(c);
    const d = await source.current();
    expect([a, b, c, still, d].map(({ token }) => token)).toEqual(['t1', 't1', 't2', 't2', 't3']);
  });

  test('tries again after a failure', async () => {
    let tries = 0;
    const source = new CachedCredentials({
      clock: new VirtualClock(),
      issue: async () => {
        if (tries++ === 0) throw new Error('no');
        return { credentials: { token: 't' } };
      },
    });
    await expect(source.current()).rejects.toThrow('no');
    expect(await source.current()).toEqual({ token: 't' });
  });
});

describe('OpenID Connect', () => {
  const jwt = (exp: number) => `h.${btoa(JSON.stringify({ exp }))}.s`;
  const now = Date.UTC(2026, 0, 1);
  const later = now / 1000 + 3_600;

  test('uses a valid token without a request', async () => {
    const provider: OidcProvider = {
      get: () => Promise.reject(new Error('asked')),
      post: () => Promise.reject(new Error('asked')),
    };
    const issued = await issueOidcToken({ 'id-token': jwt(later) }, { provider, now, save: async () => {} });
    expect(issued).toEqual({ credentials: { token: jwt(later) }, expiresAt: later * 1000 });
  });

  test('refreshes an expired token and saves the new one', async () => {
    const posted: unknown[] = [];
    let saved = {};
    const provider: OidcProvider = {
      get: async (url) => ({ token_endpoint: `${url}/token` }),
      post: async (...call) => {
        posted.push(call);
        return { id_token: jwt(later), refresh_token: 'r2' };
      },
    };
    const settings = {
      'id-token': jwt(1),
      'refresh-token': 'r1',
      'idp-issuer-url': 'https://idp/',
      'client-id': 'k',
      'client-secret': 's',
    };
    const issued = await issueOidcToken(settings, { provider, now, save: async (tokens) => void (saved = tokens) });
    expect(issued.credentials.token).toBe(jwt(later));
    expect(posted).toEqual([
      [
        'https://idp/.well-known/openid-configuration/token',
        { grant_type: 'refresh_token', refresh_token: 'r1' },
        `Basic ${btoa('k:s')}`,
      ],
    ]);
    expect(saved).toMatchObject({ 'id-token': jwt(later), 'refresh-token': 'r2' });
  });

  test('reports an error when it cannot refresh', async () => {
    const provider: OidcProvider = { get: async () => ({}), post: async () => ({}) };
    await expect(issueOidcToken({}, { provider, now, save: async () => {} })).rejects.toThrow(
      'cannot refresh without refresh-token',
    );
  });
});
