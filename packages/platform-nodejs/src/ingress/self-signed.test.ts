import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createSecureContext, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createAuthority } from '../pki/certificates.js';
import { selfSignedCertificate } from './self-signed.js';

const now = Date.UTC(2026, 0, 1);

test.each(['rsa', 'ecdsa'] as const)(
  'a host with a certificate with %s does not get the default one',
  async (keyType) => {
    const validity = { notBefore: new Date(now), notAfter: new Date(now + 1e10) };
    const [own, other] = [await createAuthority('own', { ...validity, keyType }), await selfSignedCertificate(now)];
    const context = createSecureContext({ cert: own.certificate, key: own.key });
    const server = createServer({ SNICallback: (_name, done) => done(null, context) });
    server.setSecureContext({ cert: other.certificate, key: other.key });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const shownTo = async (servername: string) => {
      const client = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
      await once(client, 'secureConnect');
      const { subject } = client.getPeerCertificate();
      client.destroy();
      return subject.CN;
    };
    expect([await shownTo('a.example.org'), await shownTo('')]).toEqual(['own', 'ingress.local']);
    server.close();
  },
);
