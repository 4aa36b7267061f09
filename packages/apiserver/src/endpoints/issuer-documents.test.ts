import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { issuerDocuments } from './issuer-documents.js';

const issuer = 'https://kubernetes.default.svc';

async function startIssuer() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const keys = [{ id: 'k1', key: pair.publicKey, algorithm: 'ES256' }];
  const server = await startTestServer({
    endpoints: ({ serverAddress }) => issuerDocuments({ issuer, keys, serverAddress }),
  });
  return { ...server, privateKey: pair.privateKey };
}

describe('the documents of the token issuer', () => {
  test('refer to its keys', async () => {
    const { server, call } = await startIssuer();
    await server.announce({ host: '10.0.0.9', port: 7443 });
    const { headers, body } = await call('GET', '/.well-known/openid-configuration');
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      issuer,
      jwks_uri: 'https://10.0.0.9:7443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });

  test('contain the public keys that verify tokens, and no private ones', async () => {
    const { call, privateKey } = await startIssuer();
    const { headers, body } = await call('GET', '/openid/v1/jwks');
    expect(headers['content-type']).toBe('application/jwk-set+json');
    expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const token = await new SignJWT({ sub: 'a' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(issuer)
      .sign(privateKey);
    const { payload } = await jwtVerify(token, createLocalJWKSet(body), { issuer });
    expect(payload.sub).toBe('a');
  });
});
