// Node.js 20 breaks its own `tls` when `toLegacyObject` is called before that is loaded.
import 'node:tls';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate, newSerial } from './certificates.js';

const notBefore = new Date('2026-01-01T00:00:00Z');
const notAfter = new Date('2027-01-01T00:00:00Z');

describe('certificates', () => {
  test('SERVE a CA is self-signed and signs serving certificates', async () => {
    const ca = await createAuthority('kubernetes', { notBefore, notAfter });
    const leaf = await issueCertificate(ca, {
      commonName: 'kube-apiserver',
      usage: 'server',
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1', '::1'],
      notBefore,
      notAfter,
    });
    const [root, server] = [new X509Certificate(ca.certificate), new X509Certificate(leaf.certificate)];

    expect({
      self: root.verify(root.publicKey),
      signed: server.verify(root.publicKey) && server.checkIssued(root),
      authorities: [root.ca, server.ca],
      host: server.checkHost('localhost'),
      address: [server.checkIP('127.0.0.1'), server.checkIP('::1'), server.checkIP('10.0.0.1')],
      key: server.checkPrivateKey(createPrivateKey(leaf.key)),
      until: new Date(server.validTo).toISOString(),
    }).toEqual({
      self: true,
      signed: true,
      authorities: [true, false],
      host: 'localhost',
      address: ['127.0.0.1', '::1', undefined],
      key: true,
      until: notAfter.toISOString(),
    });
  });

  test('carry user and groups as they are', async () => {
    const ca = await createAuthority('kubernetes', { notBefore, notAfter });
    const { certificate } = await issueCertificate(ca, {
      commonName: 'system:node:n,1',
      organizations: ['system:nodes', 'a=b'],
      usage: 'client',
      notBefore,
      notAfter,
    });
    const { O, CN } = new X509Certificate(certificate).toLegacyObject().subject as {
      O: string[];
      CN: string;
    };

    expect({ O, CN }).toEqual({ O: ['system:nodes', 'a=b'], CN: 'system:node:n,1' });
  });

  test.each([
    ['client', ['1.3.6.1.5.5.7.3.2']],
    ['server', ['1.3.6.1.5.5.7.3.1']],
    ['both', ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']],
  ] as const)('for use by a %s', async (usage, purposes) => {
    const ca = await createAuthority('kubernetes', { notBefore, notAfter });
    const { certificate } = await issueCertificate(ca, { commonName: 'x', usage, notBefore, notAfter });

    expect(new X509Certificate(certificate).keyUsage).toEqual(purposes);
  });

  test('have serial numbers that are positive and differ', () => {
    const serials = Array.from({ length: 100 }, newSerial);

    expect(new Set(serials).size).toBe(100);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9a-f]{31}$/);
  });
});
