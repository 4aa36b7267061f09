import type { KubeObject } from '@coracle/apimachinery';
import { silentLogger, VirtualClock } from '@coracle/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import type { ObjectWriter } from '../../object-reader.js';
import type { TokenAuthenticator } from '../bearer-token.js';
import { type LegacyToken, legacyToken, signLegacyToken } from './legacy-token.js';
import type { SigningKey } from './token-signer.js';

const audiences = ['https://kubernetes.default.svc'];
const algorithm = 'ES256';
const subject: LegacyToken = { namespace: 'default', account: { name: 'bot', uid: 'u1' }, secret: 'bot-token' };

let keys: { readonly privateKey: SigningKey; readonly publicKey: SigningKey };
let token: string;
beforeAll(async () => {
  keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  token = await sign(subject);
});

const sign = (what: LegacyToken) => signLegacyToken(what, { key: keys.privateKey, keyId: 'k', algorithm });

const account = (metadata: object = {}): KubeObject => ({
  kind: 'ServiceAccount',
  metadata: { name: 'bot', namespace: 'default', uid: 'u1', ...metadata },
});
const secret = (metadata: object = {}, data: object = { token: btoa(token) }) => {
  const made = { kind: 'Secret', metadata: { name: 'bot-token', namespace: 'default', ...metadata }, data };
  return made as KubeObject;
};

/** An authenticator of these objects; what it writes to secrets is noted, as it would be stored. */
function open(objects: MemoryObjects, clock = new VirtualClock()) {
  const written: KubeObject[] = [];
  const writer: Pick<ObjectWriter, 'update'> = {
    async update(ref, namespace, name, next) {
      const current = objects.get(ref, namespace, name);
      if (!current) throw new Error('it is gone');
      const changed = await next(current);
      written.push(changed);
      objects.put(changed);
      return changed;
    },
  };
  const authenticator = legacyToken({
    keys: [{ key: keys.publicKey, algorithm }],
    audiences,
    objects,
    writer: writer as ObjectWriter,
    clock,
    logger: silentLogger,
  });
  return { authenticator, written, clock };
}

const ask = async (authenticator: TokenAuthenticator, shown: string, audiences?: readonly string[]) => {
  try {
    return await authenticator.authenticateToken(shown, audiences);
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a token in a secret', () => {
  test('is its account’s while both are there', async () => {
    const { authenticator } = open(new MemoryObjects([account(), secret()]));
    expect(await ask(authenticator, token)).toEqual({
      user: {
        name: 'system:serviceaccount:default:bot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
      },
      audiences,
    });
  });

  test.each([
    { name: 'whose secret is gone', objects: () => [account()] },
    {
      name: 'whose secret is going',
      objects: () => [account(), secret({ deletionTimestamp: '2026-01-01T00:00:00Z' })],
    },
    { name: 'whose secret holds another', objects: () => [account(), secret({}, { token: btoa('x') })] },
    {
      name: 'that was disabled',
      objects: () => [account(), secret({ labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } })],
    },
    { name: 'whose account is gone', objects: () => [secret()] },
    { name: 'whose account is another of the same name', objects: () => [account({ uid: 'u2' }), secret()] },
    {
      name: 'whose account is going',
      objects: () => [account({ deletionTimestamp: '2026-01-01T00:00:00Z' }), secret()],
    },
  ])('is rejected $name', async ({ objects }) => {
    const { authenticator } = open(new MemoryObjects(objects()));
    expect(await ask(authenticator, token)).toBe('Unauthorized');
  });

  test('is valid for the audience of the server only', async () => {
    const { authenticator } = open(new MemoryObjects([account(), secret()]));
    expect(await ask(authenticator, token, ['vault'])).toBe('Unauthorized');
  });

  test('is rejected once its secret is deleted, though it was cached', async () => {
    const objects = new MemoryObjects([account(), secret()]);
    const { authenticator } = open(objects);
    await ask(authenticator, token);
    objects.remove(secret());
    expect(await ask(authenticator, token)).toBe('Unauthorized');
  });

  test('is rejected if another key has signed it', async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ]);
    const forged = await signLegacyToken(subject, { key: privateKey, keyId: 'k', algorithm });
    const { authenticator } = open(new MemoryObjects([account(), secret({}, { token: btoa(forged) })]));
    expect(await ask(authenticator, forged)).toBe('Unauthorized');
  });

  test('is rejected without the name of its secret', async () => {
    const nameless = await sign({ ...subject, secret: '' });
    const { authenticator } = open(new MemoryObjects([account(), secret({ name: '' }, { token: btoa(nameless) })]));
    expect(await ask(authenticator, nameless)).toBe('Unauthorized');
  });

  test.each(['', 'abc', 'a.b.c'])('is passed to the next authenticator if it is of another kind: %j', async (shown) => {
    expect(await ask(open(new MemoryObjects()).authenticator, shown)).toBeUndefined();
  });

  test('has the day of its last use noted once a day', async () => {
    const { authenticator, written, clock } = open(new MemoryObjects([account(), secret()]));
    const days = () => written.map(({ metadata }) => metadata.labels?.['kubernetes.io/legacy-token-last-used']);
    for (let i = 0; i < 3; i++) {
      await ask(authenticator, token);
      await clock.settle();
    }
    expect(days()).toEqual(['2026-01-01']);
    await clock.advance(24 * 3_600_000);
    await ask(authenticator, token);
    await clock.settle();
    expect(days()).toEqual(['2026-01-01', '2026-01-02']);
  });
});
