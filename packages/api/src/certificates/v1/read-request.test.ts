import { toBase64 } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { readCertificateRequest } from './read-request.js';
import { clientRequest, namedRequest } from './request.fixture.js';
import { signerRefusal, signers } from './signers.js';

const encoded = (pem: string) => toBase64(new TextEncoder().encode(pem));

describe('reading certificate requests', () => {
  test('the subject is read', () => {
    expect(readCertificateRequest(encoded(clientRequest))).toEqual({
      der: expect.any(Uint8Array),
      commonName: 'ann',
      organizations: ['dev', 'ops'],
      dnsNames: [],
      ipAddresses: [],
      emailAddresses: [],
      uris: [],
    });
  });

  test('alternative names are read', () => {
    expect(readCertificateRequest(encoded(namedRequest))).toMatchObject({
      commonName: 'system:node:n1',
      organizations: ['system:nodes'],
      dnsNames: ['n1.local'],
      ipAddresses: ['10.0.0.1', 'fd00::1'],
      uris: ['spiffe://x'],
    });
  });

  test('of several blocks the first that can be read is, and no other is passed on', () => {
    const read = (pem: string) => readCertificateRequest(encoded(pem));
    const withIn = (line: string) => namedRequest.replace(/\n(?=-----END)/, `\n${line}\n`);
    const late = `a: b\n${clientRequest.split('\n').slice(1, -2).join('\n')}`;
    for (const broken of [withIn('!'), withIn(late)]) {
      expect(read(broken)).toBeUndefined();
      expect(read(`${broken}${clientRequest}`)).toEqual(read(clientRequest));
    }
  });

  test('an invalid or truncated request is rejected', () => {
    expect(readCertificateRequest(undefined)).toBeUndefined();
    expect(readCertificateRequest(encoded('hello'))).toBeUndefined();
    const lines = clientRequest.split('\n');
    const short = [lines[0], lines[1], lines.at(-2)].join('\n');
    expect(readCertificateRequest(encoded(short))).toBeUndefined();
  });
});

describe('requests that signers reject', () => {
  const node = { commonName: 'system:node:n1', organizations: ['system:nodes'], dnsNames: [] as string[] };
  const request = { ...node, ipAddresses: [], emailAddresses: [], uris: [] };
  const client = ['digital signature', 'client auth'];
  const server = ['digital signature', 'key encipherment', 'server auth'];
  test.each([
    [signers.kubeletClient, request, client, undefined],
    [signers.kubeletClient, { ...request, organizations: ['x'] }, client, 'subject organization is not system:nodes'],
    [signers.kubeletClient, { ...request, dnsNames: ['a'] }, client, 'DNS subjectAltNames are not allowed'],
    [signers.kubeletClient, request, server, 'usages did not match [digital signature client auth]'],
    [signers.kubeletServing, request, server, 'DNS or IP subjectAltName is required'],
    [signers.kubeletServing, { ...request, dnsNames: ['a'] }, server, undefined],
    [signers.apiServerClient, request, ['server auth'], 'invalid usage for client certificate: server auth'],
    [signers.legacy, request, [], undefined],
  ])('%s', (signer, certificate, usages, refusal) => {
    expect(signerRefusal(signer, certificate, usages)).toBe(refusal);
  });
});
