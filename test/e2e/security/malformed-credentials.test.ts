import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomInt, seededRandom } from '@coracle/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { TokenClient } from './token-client.js';

const isSoak = process.env['CORACLE_SOAK'] !== undefined;
const attempts = isSoak ? 100_000 : 2_000;
const issuer = 'https://kubernetes.default.svc';
const folder = mkdtempSync(join(tmpdir(), 'coracle-credentials-'));
const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreignRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = String(createPublicKey(own.privateKey).export({ type: 'spki', format: 'pem' }));

let cluster: RunningCluster;
let client: TokenClient;
/** A token that is good, and what it says. */
let good: string;
let claims: Readonly<Record<string, unknown>>;
let header: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const key = join(folder, 'signing.key');
  writeFileSync(key, String(own.privateKey.export({ type: 'pkcs8', format: 'pem' })));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'root-token,root,1,system:masters\n');
  cluster = await RunningCluster.start({
    command: ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0', '--store', 'memory'],
    flags: ['--token-auth-file', tokens, '--service-account-signing-key-file', key],
  });
  client = new TokenClient(cluster);
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const asRoot = { token: 'root-token' };
  await client.must('POST', accounts, { ...asRoot, body: { metadata: { name: 'robot' } } });
  const made = await client.must('POST', `${accounts}/robot/token`, { ...asRoot, body: { spec: {} } });
  good = made.body.status.token;
  const [first = '', second = ''] = good.split('.');
  header = JSON.parse(String(Buffer.from(first, 'base64url')));
  claims = JSON.parse(String(Buffer.from(second, 'base64url')));
}, 120_000);
afterAll(async () => {
  client?.[Symbol.dispose]();
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(head: object, body: object, key: KeyObject, algorithm = 'sha256'): string {
  const input = `${part(head)}.${part(body)}`;
  const signature = sign(algorithm, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function shared(head: object, body: object, secret: string): string {
  const input = `${part(head)}.${part(body)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const now = () => Math.floor(Date.now() / 1000);
const printable = (length: number) => randomBytes(length).toString('base64url');
const flipped = (token: string, at: number) =>
  `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;

/** Ways to make a credential that must not be taken, each by a random number. */
const forgeries: Readonly<Record<string, (random: () => number) => string>> = {
  'random bytes': (random) => printable(1 + Math.floor(random() * 600)),
  'three random parts': () => `${printable(20)}.${printable(80)}.${printable(64)}`,
  'a truncated token': (random) => good.slice(0, 1 + Math.floor(random() * (good.length - 2))),
  'a token with a changed letter': (random) => flipped(good, Math.floor(random() * (good.length - 3))),
  'without a signature': () => `${part(header)}.${part(claims)}.`,
  'alg none': () => `${part({ ...header, alg: 'none' })}.${part(claims)}.`,
  'alg none, signed': () => signed({ ...header, alg: 'None' }, claims, own.privateKey),
  'signed by another key': () => signed(header, claims, foreign.privateKey),
  'signed by another kind of key': () => signed({ ...header, alg: 'RS256' }, claims, foreignRsa.privateKey),
  'the public key as a shared secret': () => shared({ ...header, alg: 'HS256' }, claims, publicPem),
  'an empty shared secret': () => shared({ ...header, alg: 'HS256' }, claims, ''),
  'a key that comes with the token': () =>
    signed({ ...header, jwk: foreign.publicKey.export({ format: 'jwk' }), kid: 'mine' }, claims, foreign.privateKey),
  'a key id that is a path': () => signed({ ...header, kid: '../../../../dev/null' }, claims, foreign.privateKey),
  expired: () => signed(header, { ...claims, exp: now() - 3_600 }, own.privateKey),
  'not valid yet': () => signed(header, { ...claims, nbf: now() + 3_600 }, own.privateKey),
  'for another audience': () => signed(header, { ...claims, aud: ['https://elsewhere.example'] }, own.privateKey),
  'of another issuer': () => signed(header, { ...claims, iss: 'https://elsewhere.example' }, own.privateKey),
  'of an account that is not there': (random) =>
    signed(
      header,
      { ...claims, 'kubernetes.io': accountClaims(`robot-${Math.floor(random() * 1e6)}`) },
      own.privateKey,
    ),
  'of an account of the same name that is gone': () =>
    signed(header, { ...claims, 'kubernetes.io': accountClaims('robot') }, own.privateKey),
  'claims of the wrong types': () => signed(header, { iss: issuer, aud: 7, exp: 'x', sub: [] }, own.privateKey),
  'a payload that is no object': () => `${part(header)}.${part('text')}.${printable(64)}`,
};

function accountClaims(name: string): object {
  return { namespace: 'default', serviceaccount: { name, uid: 'another' } };
}

const path = '/api/v1/namespaces/default/configmaps';
const patient = { timeout: 60_000 };

test('the token that is changed below is valid', patient, async () => {
  expect((await client.send('GET', path, { token: good })).status).toBe(403);
  expect((await client.send('GET', path)).body.message).toContain('system:anonymous');
});

/** The credentials that were accepted, or authenticated as a user other than the anonymous one. */
async function storm(count: number, seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const kinds = Object.entries(forgeries);
  const wrong: string[] = [];
  let left = count;
  const next = async () => {
    while (left-- > 0) {
      const [name, forge] = kinds[randomInt(random, kinds.length)] ?? ['', () => ''];
      const token = forge(() => random.next());
      const { status, text } = await client.send('GET', path, { token });
      if (status !== 401) wrong.push(`${name}: ${status} ${text.slice(0, 200)} ${token}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, next));
  return wrong;
}

test.each(Object.entries(forgeries))('%s is refused', patient, async (_name, forge) => {
  const random = seededRandom(7);
  for (let i = 0; i < 5; i++) {
    const { status, body } = await client.send('GET', path, { token: forge(() => random.next()) });
    expect([status, body.message]).toEqual([401, 'Unauthorized']);
  }
});

test('several Authorization headers never grant more than the first does', patient, async () => {
  const both = (...tokens: string[]) => ({ rawHeaders: tokens.flatMap((one) => ['authorization', `Bearer ${one}`]) });
  expect((await client.send('GET', path, both('bad', 'root-token'))).status).toBe(401);
  const { status, body } = await client.send('GET', path, both(good, 'root-token'));
  expect([status, body.message]).toEqual([403, expect.stringContaining('serviceaccount:default:robot')]);
});

test(`${attempts} malformed credentials are all refused, and memory stays flat`, {
  timeout: isSoak ? 1_800_000 : 240_000,
}, async () => {
  expect(await storm(attempts / 4, 1)).toEqual([]);
  const before = cluster.residentBytes;
  expect(await storm(attempts, 2)).toEqual([]);
  expect((cluster.residentBytes - before) / 1024 / 1024).toBeLessThan(80);
  expect((await client.send('GET', path, { token: 'root-token' })).status).toBe(200);
});
