// Node.js 20 breaks its own `tls` when `toLegacyObject` is called before that is loaded.
import 'node:tls';
import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createCertificateSigner, type SigningOrder } from './certificate-signer.js';
import { createAuthority, forLibrary, library } from './certificates.js';
import type { KeyPair } from './key-pair.js';

const notBefore = Date.UTC(2026, 0, 1);
const notAfter = Date.UTC(2026, 6, 1);
const authorityEnds = Date.UTC(2027, 0, 1);

let authority: KeyPair;
let request: Uint8Array;
beforeAll(async () => {
  authority = await createAuthority('kubernetes', {
    notBefore: new Date(notBefore),
    notAfter: new Date(authorityEnds),
  });
  request = await requestFor('web.default.svc');
});

/** A certificate request with its own key. */
async function requestFor(name: string): Promise<Uint8Array> {
  const x509 = await library();
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['system:nodes'] }, { CN: ['system:node:n1'] }],
    keys: forLibrary(keys),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  return new Uint8Array(made.rawData);
}

const sign = async (more: Partial<SigningOrder> = {}) => {
  const order = { request, usages: ['digital signature', 'client auth'], notBefore, notAfter, ...more };
  return new X509Certificate(await createCertificateSigner(authority).sign(order));
};

describe('a certificate for a request', () => {
  test('is signed by the CA, and has the subject of the request', async () => {
    const certificate = await sign();
    const root = new X509Certificate(authority.certificate);
    const { O, CN } = certificate.toLegacyObject().subject;
    expect({
      signed: certificate.verify(root.publicKey) && certificate.checkIssued(root),
      subject: { O, CN },
      name: certificate.checkHost('web.default.svc'),
      isAuthority: certificate.ca,
      from: new Date(certificate.validFrom).getTime(),
      until: new Date(certificate.validTo).getTime(),
    }).toEqual({
      signed: true,
      subject: { O: 'system:nodes', CN: 'system:node:n1' },
      name: 'web.default.svc',
      isAuthority: false,
      from: notBefore,
      until: notAfter,
    });
  });

  test('ends no later than the authority', async () => {
    const { validTo } = await sign({ notAfter: authorityEnds + 1_000_000 });
    expect(new Date(validTo).getTime()).toBe(authorityEnds);
  });

  test.each([
    { name: 'for clients', usages: ['digital signature', 'client auth'], ids: ['1.3.6.1.5.5.7.3.2'] },
    {
      name: 'for servers and clients',
      usages: ['key encipherment', 'server auth', 'client auth'],
      ids: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
    },
    { name: 'for nothing in particular', usages: ['digital signature'], ids: undefined },
    { name: 'for nothing that is not known', usages: ['client auth', 'toString'], ids: ['1.3.6.1.5.5.7.3.2'] },
  ])('is good $name', async ({ usages, ids }) => {
    expect((await sign({ usages })).keyUsage).toEqual(ids);
  });

  test('is not made if the request was changed after it was signed', async () => {
    const der = Buffer.from(request);
    const at = der.indexOf('system:nodes');
    der.write('system:maste', at);
    await expect(sign({ request: der })).rejects.toThrow('not signed with its own key');
  });
});
