import { describe, expect, test } from 'vitest';
import { tlsAgreement } from './tls-settings.js';

const modern = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

describe('TLS parameters of a server', () => {
  test('are those of a Go server, in its order', () => {
    const { ciphers, minVersion, honorCipherOrder } = tlsAgreement();
    expect(ciphers).toMatch(new RegExp(`^${modern}:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:`));
    expect({ minVersion, honorCipherOrder }).toEqual({ minVersion: 'TLSv1.2', honorCipherOrder: true });
  });

  test("follows Go's names, whatever their order, and leaves TLS 1.3 as it is", () => {
    const cipherSuites = [
      'TLS_RSA_WITH_AES_128_CBC_SHA',
      'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
      'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
    ];
    const { ciphers } = tlsAgreement({ cipherSuites });
    expect(ciphers).toBe(`${modern}:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305:AES128-SHA`);
  });

  test.each([
    [
      { cipherSuites: ['TLS_RSA_WITH_RC4_128_SHA'] },
      "Cipher suite TLS_RSA_WITH_RC4_128_SHA not supported or doesn't exist",
    ],
    [{ minVersion: 'TLSv1.2' }, 'unknown tls version "TLSv1.2"'],
  ])('unknown values are rejected: %o', (settings, problem) => {
    expect(() => tlsAgreement(settings)).toThrow(problem);
  });
});
