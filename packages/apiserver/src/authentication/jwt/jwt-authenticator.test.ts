import { seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import type { Dialer } from '../../outbound/dialer.js';
import { Outbound } from '../../outbound/outbound.js';
import { webhookEndpoint } from '../../outbound/webhook-endpoint.js';
import { webhookToken } from '../tokens/webhook-token.js';
import { jwtAuthenticator } from './jwt-authenticator.js';
import { type JwtConfig, jwtProblems } from './jwt-config.js';

const issuer = 'https://issuer.example.com';
const plain: JwtConfig = {
  issuer: { url: issuer, audiences: ['kube'] },
  claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
};

/** Answers as the other side does, by path. */
function outboundTo(clock: VirtualClock, answers: Record<string, (body: string) => unknown>) {
  const requests: string[] = [];
  const dialer: Dialer = {
    request: async (_to, { path, body }) => {
      requests.push(path);
      const text = body?.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : '';
      const value = answers[path]?.(text);
      const bytes = new TextEncoder().encode(JSON.stringify(value ?? {}));
      return { status: value === undefined ? 404 : 200, headers: {}, body: { kind: 'bytes', chunks: [bytes] } };
    },
    connect: () => Promise.reject(new Error('not asked for')),
  };
  return { requests, outbound: new Outbound({ objects: new MemoryObjects(), clock, random: seededRandom(1), dialer }) };
}

async function start(config: JwtConfig = plain) {
  const clock = new VirtualClock({ startAt: Date.parse('2026-01-01T00:00:00Z') });
  let { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  let id = 'key-1';
  const { outbound, requests } = outboundTo(clock, {
    '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: `${issuer}/keys` }),
    '/keys': () => keys,
  });
  let keys = { keys: [{ ...(await exportJWK(publicKey)), kid: id, alg: 'RS256', use: 'sig' }] };
  const authenticator = jwtAuthenticator(config, { outbound, clock, logger: silentLogger, apiAudiences: ['api'] });
  const sign = (claims: object, header: object = {}) =>
    new SignJWT({ iss: issuer, aud: 'kube', exp: clock.now() / 1000 + 3600, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: id, ...header })
      .sign(privateKey);
  const rotate = async () => {
    ({ publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true }));
    id = 'key-2';
    keys = { keys: [{ ...(await exportJWK(publicKey)), kid: id, alg: 'RS256', use: 'sig' }] };
  };
  const who = async (token: string) => {
    try {
      return (await authenticator.authenticateToken(token))?.user;
    } catch (error) {
      return String((error as Error).cause);
    }
  };
  return { clock, sign, who, rotate, requests, publicKey: () => publicKey };
}

describe('AUTHN-23 tokens of an issuer', () => {
  test('name the user and the groups, with their prefixes', async () => {
    const { sign, who } = await start();
    expect(await who(await sign({ sub: 'jane', groups: ['dev', 'ops'] }))).toEqual({
      name: 'oidc:jane',
      groups: ['oidc:dev', 'oidc:ops'],
    });
    expect(await who(await sign({ sub: 'jane', groups: 'dev' }))).toMatchObject({ groups: ['oidc:dev'] });
  });

  test.each([
    ['expired', { sub: 'jane', exp: 1 }, '"exp" claim timestamp check failed'],
    ['for another audience', { sub: 'jane', aud: 'other' }, 'unexpected "aud" claim value'],
    ['without a name', {}, 'claim not present'],
  ])('that are %s are refused', async (_name, claims, problem) => {
    const { sign, who } = await start();
    expect(await who(await sign(claims))).toContain(problem);
  });

  test('of another issuer are passed to the next authenticator', async () => {
    const { sign, who } = await start();
    expect(await who(await sign({ iss: 'https://elsewhere', sub: 'jane' }))).toBeUndefined();
  });

  test('signed with the public key as a shared secret, or not at all, are refused', async () => {
    const { who, publicKey } = await start();
    const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
    const body = part({ iss: issuer, aud: 'kube', sub: 'jane', exp: 4e9 });
    expect(await who(`${part({ alg: 'none' })}.${body}.`)).toContain('verify token');
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey())));
    const confused = await new SignJWT({ iss: issuer, aud: 'kube', sub: 'jane', exp: 4e9 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    expect(await who(confused)).toContain('verify token');
  });

  test('with a new key are valid once the issuer has it; unknown keys do not flood it', async () => {
    const { clock, sign, who, rotate, requests } = await start();
    expect(await who(await sign({ sub: 'jane' }))).toMatchObject({ name: 'oidc:jane' });
    await rotate();
    for (let i = 0; i < 20; i++) await who(await sign({ sub: `jane-${i}` }, { kid: 'nobody' }));
    expect(requests.length).toBe(2);
    await clock.advance(10_000);
    expect(await who(await sign({ sub: 'joe' }))).toMatchObject({ name: 'oidc:joe' });
    expect(requests.length).toBe(4);
  });

  test('are mapped and checked by expressions', async () => {
    const { sign, who } = await start({
      issuer: plain.issuer,
      claimMappings: {
        username: { expression: 'claims.email.split("@")[0]' },
        groups: { expression: 'claims.roles.map(role, "r:" + role)' },
        uid: { claim: 'sub' },
        extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
      },
      claimValidationRules: [{ expression: 'claims.email_verified == true', message: 'not verified' }],
      userValidationRules: [{ expression: '!user.username.startsWith("system:")', message: 'reserved' }],
    });
    const claims = { sub: '7', email: 'jane@x', email_verified: true, roles: ['a'], tenant: 't' };
    expect(await who(await sign(claims))).toEqual({
      name: 'jane',
      uid: '7',
      groups: ['r:a'],
      extra: { 'example.com/tenant': ['t'] },
    });
    expect(await who(await sign({ ...claims, email_verified: false }))).toContain('not verified');
    expect(await who(await sign({ ...claims, email: 'system:admin@x' }))).toContain('reserved');
  });

  test.each([
    [{ issuer: { url: 'http://x', audiences: ['a'] }, claimMappings: plain.claimMappings }, 'URL scheme must be https'],
    [{ issuer: { url: 'https://own', audiences: ['a'] }, claimMappings: plain.claimMappings }, 'disallowed issuers'],
    [{ issuer: plain.issuer, claimMappings: { username: { claim: 'sub' } } }, 'prefix is required'],
    [{ issuer: { url: issuer, audiences: ['a', 'b'] }, claimMappings: plain.claimMappings }, 'audienceMatchPolicy'],
    [{ ...plain, mappings: {} }, 'unknown field'],
  ])('%j is refused as a configuration', (config, problem) => {
    expect(jwtProblems(config, 'jwt[0]', ['https://own']).join()).toContain(problem);
  });
});

test('malformed credentials are refused', async () => {
  const { sign, who } = await start();
  const good = await sign({ sub: 'jane' });
  const random = seededRandom(7);
  for (let i = 0; i < 3_000; i++) {
    const at = Math.floor(random.next() * (good.length - 1));
    const letter = String.fromCharCode(33 + Math.floor(random.next() * 90));
    const bad = [
      good.slice(0, at),
      good.slice(0, at) + letter + good.slice(at + 1),
      `${good}${letter}`,
      good.split('.').reverse().join('.'),
    ][i % 4] as string;
    if (bad === good) continue;
    const outcome = await who(bad);
    // The last letter of a signature has bits that decoding ignores.
    if (typeof outcome === 'object') expect(at).toBe(good.length - 1);
  }
});

describe('AUTHN-21 a token webhook', () => {
  const options = (clock: VirtualClock, answer: (token: string) => object) => {
    const { requests, outbound } = outboundTo(clock, {
      '/review': (body) => ({ status: answer((JSON.parse(body) as { spec: { token: string } }).spec.token) }),
    });
    const endpoint = webhookEndpoint(outbound, () => ({ url: 'https://hook/review' }));
    const shared = { clock, logger: silentLogger, apiAudiences: ['api'], cacheTtlMs: 1_000, version: 'v1' } as const;
    return { requests, hook: webhookToken({ endpoint, ...shared }) };
  };

  test('authenticates a token, and is called again when its cached response expires', async () => {
    const clock = new VirtualClock();
    const { requests, hook } = options(clock, (token) => ({
      authenticated: token === 'good',
      user: { username: 'jane', groups: ['dev'] },
    }));
    const jane = { user: { name: 'jane', groups: ['dev'] }, audiences: ['api'] };
    const answers = await Promise.all([hook.authenticateToken('good'), hook.authenticateToken('good')]);
    expect([answers, requests.length]).toEqual([[jane, jane], 1]);
    expect(await hook.authenticateToken('bad')).toBeUndefined();
    expect(await hook.authenticateToken('good')).toEqual(jane);
    expect(requests.length).toBe(2);
    await clock.advance(1_001);
    await hook.authenticateToken('good');
    expect(requests.length).toBe(3);
  });

  test('for other audiences is not authenticated', async () => {
    const { hook } = options(new VirtualClock(), () => ({
      authenticated: true,
      user: { username: 'jane' },
      audiences: ['other'],
    }));
    expect(await hook.authenticateToken('good')).toBeUndefined();
  });
});
