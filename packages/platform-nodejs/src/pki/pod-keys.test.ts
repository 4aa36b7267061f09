import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { podKeys } from './pod-keys.js';

test.each([
  ['RSA3072', { modulusLength: 3072 }],
  ['ECDSAP256', { namedCurve: 'prime256v1' }],
  ['ECDSAP384', { namedCurve: 'secp384r1' }],
  ['ECDSAP521', { namedCurve: 'secp521r1' }],
  ['ED25519', {}],
])(
  'a key of type %s',
  async (type, details) => {
    const { key, request } = await podKeys.generate(type);
    const privateKey = createPrivateKey(key);
    expect(privateKey.asymmetricKeyDetails).toMatchObject(details);
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
    expect(Buffer.from(request).includes(spki)).toBe(true);
  },
  60_000,
);

test('there is no other type', async () => {
  await expect(podKeys.generate('DSA1024')).rejects.toThrow('unknown key type "DSA1024"');
});
