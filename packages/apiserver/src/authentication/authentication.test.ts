import type { ApiRequest, KubeObject } from '@coracle/apimachinery';
import { toBase64 } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../memory-objects.fixture.js';
import { authenticateRequest } from './authenticate.js';
import { bearerToken, forAudiences, type TokenAuthenticator } from './bearer-token.js';
import { clientCertificate } from './client-certificate.js';
import { inProcess } from './in-process.js';
import { anonymousAt, noAnonymous } from './no-anonymous.js';
import { bootstrapToken } from './tokens/bootstrap-token.js';
import type { ServiceAccountClaims } from './tokens/service-account-claims.js';
import { serviceAccountToken } from './tokens/service-account-token.js';
import { tokenFile } from './tokens/token-file.js';
import { createTokenSigner } from './tokens/token-signer.js';
import { webSocketToken } from './web-socket-token.js';

const text = (value: string) => toBase64(new TextEncoder().encode(value));

function request(headers: Record<string, string>, peer?: ApiRequest['peer']): ApiRequest {
  return { method: 'GET', path: '/', query: '', headers, ...(peer && { peer }) } as ApiRequest;
}

async function who(authenticators: Parameters<typeof authenticateRequest>[0], made: ApiRequest): Promise<unknown> {
  try {
    const { name, uid, groups } = await authenticateRequest(authenticators, made);
    return { name, ...(uid !== undefined && { uid }), groups };
  } catch (error) {
    return (error as Error).message;
  }
}

describe('AUTHN-10 the user of a request', () => {
  const tokens = tokenFile('good,jane,7,"dev,ops"');
  const all = [inProcess, clientCertificate, bearerToken([tokens]), webSocketToken([tokens])];
  const jane = { name: 'jane', uid: '7', groups: ['dev', 'ops', 'system:authenticated'] };
  const carrier = (token: string) => `base64url.bearer.authorization.k8s.io.${text(token).replaceAll('=', '')}`;
  const cert = (commonName: string, organizations: string[]) => ({
    certificate: { commonName, organizations, fingerprint: 'ab' },
  });

  const cases: { name: string; made: ApiRequest; user: unknown }[] = [
    {
      name: 'AUTHN-22 a request without a credential is anonymous',
      made: request({}),
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'AUTHN-08 a good token, and the group of all who are known',
      made: request({ authorization: 'Bearer good' }),
      user: jane,
    },
    { name: 'the scheme in any case', made: request({ authorization: 'bEaReR good' }), user: jane },
    {
      name: 'AUTHN-06 a bad token never makes a request anonymous',
      made: request({ authorization: 'Bearer bad' }),
      user: 'Unauthorized',
    },
    {
      name: 'AUTHN-13 another scheme is no token: there are no passwords',
      made: request({ authorization: 'Basic good' }),
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'a token behind two blanks is none',
      made: request({ authorization: 'Bearer  good' }),
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'AUTHN-14 a certificate: common name and organizations',
      made: request({}, cert('eve', ['dev']) as never),
      user: { name: 'eve', groups: ['dev', 'system:authenticated'] },
    },
    {
      name: 'a certificate without a name is none',
      made: request({}, cert('', ['dev']) as never),
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'AUTHN-14 the uid in a certificate',
      made: request({}, { certificate: { commonName: 'eve', organizations: [], uids: ['7'] } } as never),
      user: { name: 'eve', uid: '7', groups: ['system:authenticated'] },
    },
    {
      name: 'AUTHN-14 but not two of them',
      made: request({}, { certificate: { commonName: 'eve', organizations: [], uids: ['7', '8'] } } as never),
      user: 'Unauthorized',
    },
    {
      name: 'AUTHN-14 nor one that says nothing',
      made: request({}, { certificate: { commonName: 'eve', organizations: [], uids: [''] } } as never),
      user: 'Unauthorized',
    },
    {
      name: 'AUTHN-06 AUTHN-14 a certificate of an unknown CA is refused and not anonymous',
      made: request({}, { certificateProblem: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      user: 'Unauthorized',
    },
    {
      name: 'AUTHN-05 but leaves the token to be looked at',
      made: request({ authorization: 'Bearer good' }, { certificateProblem: 'CERT_HAS_EXPIRED' }),
      user: jane,
    },
    {
      name: 'AUTHN-05 and is refused when that is bad too',
      made: request({ authorization: 'Bearer bad' }, { certificateProblem: 'CERT_HAS_EXPIRED' }),
      user: 'Unauthorized',
    },
    {
      name: 'AUTHN-02 the certificate comes before the token',
      made: request({ authorization: 'Bearer good' }, cert('eve', []) as never),
      user: { name: 'eve', groups: ['system:authenticated'] },
    },
    {
      name: 'a component of this process',
      made: request({}, { user: { name: 'system:kube-scheduler', groups: [] } } as never),
      user: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
    },
    {
      name: 'a browser sends the token as a sub-protocol',
      made: request({ upgrade: 'websocket', 'sec-websocket-protocol': `v5.channel.k8s.io, ${carrier('good')}` }),
      user: jane,
    },
    {
      name: 'which is no credential where no WebSocket is requested',
      made: request({ 'sec-websocket-protocol': `v5.channel.k8s.io, ${carrier('good')}` }),
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'AUTHN-05 which a bad token in the header does not hide',
      made: request({
        authorization: 'Bearer bad',
        upgrade: 'websocket',
        'sec-websocket-protocol': `v5.channel.k8s.io, ${carrier('good')}`,
      }),
      user: jane,
    },
    {
      name: 'beside which there must be another',
      made: request({ upgrade: 'websocket', 'sec-websocket-protocol': carrier('good') }),
      user: 'Unauthorized',
    },
    {
      name: 'and no second token',
      made: request({ upgrade: 'websocket', 'sec-websocket-protocol': `a,${carrier('good')},${carrier('bad')}` }),
      user: 'Unauthorized',
    },
    {
      name: 'and no padding',
      made: request({
        upgrade: 'websocket',
        'sec-websocket-protocol': 'a,base64url.bearer.authorization.k8s.io.Z29v=',
      }),
      user: 'Unauthorized',
    },
  ];

  test.each(cases)('$name', async ({ made, user }) => {
    expect(await who(all, made)).toEqual(user);
  });
});

describe('AUTHN-15 token files', () => {
  const cases = [
    { name: 'three columns', text: 'tok,jane,7', user: { name: 'jane', uid: '7', groups: [] } },
    { name: 'groups in quotes', text: 'tok,jane,7,"a,b"', user: { name: 'jane', uid: '7', groups: ['a', 'b'] } },
    { name: 'one group without quotes', text: 'tok,jane,7,a', user: { name: 'jane', uid: '7', groups: ['a'] } },
    { name: 'quotes anywhere', text: '"tok","ja""ne","7"', user: { name: 'ja"ne', uid: '7', groups: [] } },
    {
      name: 'lines of Windows',
      text: 'other,x,1\r\ntok,jane,7,"a,b"\r\n',
      user: { name: 'jane', uid: '7', groups: ['a', 'b'] },
    },
    { name: 'no uid', text: 'tok,jane,', user: { name: 'jane', groups: [] } },
    { name: 'the last of several', text: 'tok,old,1\ntok,jane,7', user: { name: 'jane', uid: '7', groups: [] } },
    {
      name: 'a line without a token is passed over',
      text: ',nobody,1\ntok,jane,7',
      user: { name: 'jane', uid: '7', groups: [] },
    },
  ];

  test.each(cases)('$name', ({ text: file, user }) => {
    expect(tokenFile(file).authenticateToken('tok')).toEqual({ user });
  });

  test('two columns are too few, and the line is named', () => {
    expect(() => tokenFile('a,b,c\ntok,jane')).toThrow('line 2');
  });

  test('an empty token never authenticates', () => {
    expect(tokenFile(',nobody,1').authenticateToken('')).toBeUndefined();
  });
});

test('AUTHN-07 a request that shows no credential is refused where anonymous requests are off', async () => {
  const authenticators = [clientCertificate, bearerToken([tokenFile('good,jane,7')]), noAnonymous];
  expect(await who(authenticators, request({}))).toBe('Unauthorized');
  expect(await who(authenticators, request({ authorization: 'Bearer good' }))).toMatchObject({ name: 'jane' });
});

test('AUTHN-07 or is accepted at some paths only', async () => {
  const at = (path: string) => who([anonymousAt(['/livez'])], { ...request({}), path });
  expect([await at('/livez'), await at('/livez/ping')]).toEqual([
    { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    'Unauthorized',
  ]);
});

test('AUTHN-05 an asynchronous authenticator that fails is followed by the next', async () => {
  const slow = { name: 'Slow', authenticate: () => Promise.reject(new Error('bad')) };
  const authenticator = { name: 'Known', authenticate: () => Promise.resolve({ user: { name: 'jane', groups: [] } }) };
  expect(await who([slow, authenticator], request({}))).toMatchObject({ name: 'jane' });
  expect(await who([slow], request({}))).toBe('bad');
});

test('AUTHN-12 tokens without an audience are valid for those of the server', () => {
  const kind = forAudiences(tokenFile('good,jane,7'), ['https://here', 'here']);
  expect([
    kind.authenticateToken('good'),
    kind.authenticateToken('good', ['here', 'there']),
    kind.authenticateToken('good', ['there']),
  ]).toMatchObject([{ user: { name: 'jane' } }, { user: { name: 'jane' }, audiences: ['here'] }, undefined]);
});

describe('AUTHN-16 AUTHN-17 AUTHN-18 bootstrap tokens', () => {
  const clock = new VirtualClock({ startAt: Date.UTC(2026, 0, 1) });
  const good = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };
  const secret = (data: Record<string, string>, more: object = {}): KubeObject =>
    ({
      kind: 'Secret',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, text(value)])),
      ...more,
    }) as KubeObject;
  const joined = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] };

  const cases: { name: string; secret: KubeObject; token?: string; user: unknown }[] = [
    { name: 'a good one', secret: secret(good), user: joined },
    {
      name: 'more groups, each once and in order',
      secret: secret({
        ...good,
        'auth-extra-groups': 'system:bootstrappers:z,system:bootstrappers:a,system:bootstrappers:z',
      }),
      user: { ...joined, groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:z'] },
    },
    { name: 'groups of others', secret: secret({ ...good, 'auth-extra-groups': 'system:masters' }), user: undefined },
    { name: 'not over yet', secret: secret({ ...good, expiration: '2026-01-01T00:00:01Z' }), user: joined },
    { name: 'over', secret: secret({ ...good, expiration: '2025-12-31T23:59:59Z' }), user: undefined },
    { name: 'an end that cannot be read', secret: secret({ ...good, expiration: 'tomorrow' }), user: undefined },
    {
      name: 'not meant for authentication',
      secret: secret({ ...good, 'usage-bootstrap-authentication': 'false' }),
      user: undefined,
    },
    { name: 'a wrong secret', secret: secret({ ...good, 'token-secret': '0123456789abcdee' }), user: undefined },
    { name: 'another id inside', secret: secret({ ...good, 'token-id': 'zzzzzz' }), user: undefined },
    { name: 'a secret of another type', secret: secret(good, { type: 'Opaque' }), user: undefined },
    { name: 'not even the form of one', secret: secret(good), token: 'ABCDEF.0123456789abcdef', user: undefined },
  ];

  test.each(cases)('$name', ({ secret: stored, token = 'abcdef.0123456789abcdef', user }) => {
    const outcome = bootstrapToken({ objects: new MemoryObjects([stored]), clock }).authenticateToken(token);

    expect((outcome as { user?: unknown } | undefined)?.user).toEqual(user);
  });
});

describe('AUTHN-24 SA-06 service account tokens', () => {
  const start = Date.UTC(2026, 0, 1);
  const meta = (name: string, namespace?: string) => ({
    metadata: { name, uid: `${name}-uid`, ...(namespace && { namespace }) },
  });
  const account = { kind: 'ServiceAccount', ...meta('bot', 'default') };
  const pod = { kind: 'Pod', ...meta('web', 'default') };
  const node = { kind: 'Node', ...meta('n1') };
  const secret = { kind: 'Secret', ...meta('s', 'default') };

  async function setUp() {
    const clock = new VirtualClock({ startAt: start });
    const objects = new MemoryObjects([account, pod, node, secret]);
    const { privateKey, publicKey } = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as never as { privateKey: never; publicKey: never };
    const signer = createTokenSigner({ issuer: 'https://here', keyId: 'k', key: privateKey, algorithm: 'ES256' });
    const kind = serviceAccountToken({
      keys: [{ id: 'k', key: publicKey, algorithm: 'ES256' }],
      issuers: ['https://here'],
      audiences: ['https://here'],
      objects,
      clock,
    });
    const sign = (
      bound: Partial<ServiceAccountClaims['kubernetes.io']> = {},
      more: Partial<ServiceAccountClaims> = {},
    ) => {
      const now = start / 1000;
      const own = { namespace: 'default', serviceaccount: { name: 'bot', uid: 'bot-uid' }, ...bound };
      return signer.sign({
        iss: 'https://here',
        sub: 's',
        aud: ['https://here'],
        exp: now + 600,
        iat: now,
        nbf: now,
        jti: 'j',
        'kubernetes.io': own,
        ...more,
      });
    };
    return { clock, objects, kind, sign };
  }

  async function nameOf(kind: TokenAuthenticator, token: string, audiences?: string[]): Promise<unknown> {
    try {
      return (await kind.authenticateToken(token, audiences))?.user.name;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** What a review tells. */
  async function why(kind: TokenAuthenticator, token: string): Promise<unknown> {
    try {
      await kind.authenticateToken(token);
    } catch (error) {
      return (error as Error).cause;
    }
  }

  const bot = 'system:serviceaccount:default:bot';

  test('have the user and the object that they are bound to', async () => {
    const { kind, sign } = await setUp();
    const outcome = await kind.authenticateToken(
      await sign({ pod: { name: 'web', uid: 'web-uid' }, node: { name: 'n1', uid: 'n1-uid' } }),
    );

    expect(outcome).toEqual({
      user: {
        name: bot,
        uid: 'bot-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=j'],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': ['web-uid'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': ['n1-uid'],
        },
      },
      audiences: ['https://here'],
    });
  });

  test('are valid for their audience alone', async () => {
    const { kind, sign } = await setUp();
    const vault = await sign({}, { aud: ['vault'] });
    expect(await why(kind, vault)).toBe(
      'token audiences ["vault"] is invalid for the target audiences ["https://here"]',
    );

    expect([await nameOf(kind, vault), await nameOf(kind, vault, ['vault', 'x'])]).toEqual(['Unauthorized', bot]);
  });

  test('AUTHN-09 are checked once for a while', async () => {
    const { kind, sign } = await setUp();
    const token = await sign();
    expect(kind.authenticateToken(token)).toBeInstanceOf(Promise);
    await kind.authenticateToken(token);
    expect(kind.authenticateToken(token)).toMatchObject({ user: { name: bot } });
  });

  test('are valid for their lifetime, with a minute of clock skew', async () => {
    const { kind, sign, clock } = await setUp();
    const token = await sign();
    await clock.advance(659_000);
    expect(await nameOf(kind, token)).toBe(bot);

    await clock.advance(1_000);
    expect(await nameOf(kind, token)).toBe('Unauthorized');
    expect(await why(kind, token)).toBe('service account token has expired');
  });

  test('of another issuer are passed to the next authenticator, those with an invalid signature are not', async () => {
    const { kind, sign } = await setUp();
    const stranger = await setUp();

    expect([
      await nameOf(kind, await sign({}, { iss: 'https://there' })),
      await nameOf(kind, 'gibberish'),
      await nameOf(kind, await stranger.sign()),
    ]).toEqual([undefined, undefined, 'Unauthorized']);
  });

  const ended = 'service account token has been invalidated';
  const bindings: {
    name: string;
    bound: Partial<ServiceAccountClaims['kubernetes.io']>;
    gone: KubeObject;
    words: string;
  }[] = [
    { name: 'its account', bound: {}, gone: account, words: 'serviceaccounts "bot" not found' },
    { name: 'its pod', bound: { pod: { name: 'web', uid: 'web-uid' } }, gone: pod, words: ended },
    { name: 'its secret', bound: { secret: { name: 's', uid: 's-uid' } }, gone: secret, words: ended },
    { name: 'its node', bound: { node: { name: 'n1', uid: 'n1-uid' } }, gone: node, words: ended },
  ];

  test.each(bindings)(
    'end with $name, at once when it is gone or another has its name',
    async ({ bound, gone, words }) => {
      const { kind, sign, objects } = await setUp();
      const token = await sign(bound);
      expect(await nameOf(kind, token)).toBe(bot);

      objects.put({ ...gone, metadata: { ...gone.metadata, uid: 'another' } });
      expect([await nameOf(kind, token), await why(kind, token)]).toEqual([
        'Unauthorized',
        expect.stringMatching(/UID/),
      ]);
      objects.remove(gone);
      expect([await nameOf(kind, token), await why(kind, token)]).toEqual(['Unauthorized', words]);
    },
  );

  test('outlive the deletion of their pod by a minute', async () => {
    const { kind, sign, objects, clock } = await setUp();
    const token = await sign({ pod: { name: 'web', uid: 'web-uid' } });
    objects.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    await clock.advance(60_000);
    expect(await nameOf(kind, token)).toBe(bot);

    await clock.advance(1);
    expect(await nameOf(kind, token)).toBe('Unauthorized');
  });

  test('of a pod stay valid when only its node is deleted', async () => {
    const { kind, sign, objects } = await setUp();
    objects.remove(node);

    expect(
      await nameOf(kind, await sign({ pod: { name: 'web', uid: 'web-uid' }, node: { name: 'n1', uid: 'n1-uid' } })),
    ).toBe(bot);
  });
});
