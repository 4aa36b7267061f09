// Node.js 20 breaks its own `tls` when `toLegacyObject` is called before that is loaded.
import 'node:tls';
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { type PeerSocket, peerOf } from './peer.js';

/** Made with openssl: `/CN=first/CN=ann/O=dev/O=ops/1.3.6.1.4.1.57683.2=my-uid`. */
const certificate = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIBnzCCAUUCFA1bb/nPSkNUWyfXmLU7Qpu2a6umMAoGCCqGSM49BAMCMFExDjAM
BgNVBAMMBWZpcnN0MQwwCgYDVQQDDANhbm4xDDAKBgNVBAoMA2RldjEMMAoGA1UE
CgwDb3BzMRUwEwYJKwYBBAGDwlMCDAZteS11aWQwIBcNMjYxMTE1MTQzMTA4WhgP
MjEyNjEwMjIxNDMxMDhaMFExDjAMBgNVBAMMBWZpcnN0MQwwCgYDVQQDDANhbm4x
DDAKBgNVBAoMA2RldjEMMAoGA1UECgwDb3BzMRUwEwYJKwYBBAGDwlMCDAZteS11
aWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARpDsMutj/LtdMoompWo1/rJ6XW
jyA5qibVEA5X8CtMZoTznZTI6n3oOeEnUnndjPVSU+nGwtMprj9IQnVnrJj6MAoG
CCqGSM49BAMCA0gAMEUCIQCUwY/xboXiATc1GJEqZ1yyuTS1XuDe9fvvzxPGnwe3
bQIgQ0eAsJVRmVvg269tBc0Ks3JZSYHb6eQtsr240FXVf1E=
-----END CERTIFICATE-----
`);

/** The part of a connection that is read. */
function connection(more: PeerSocket): PeerSocket {
  const legacy = { ...certificate.toLegacyObject() };
  return { encrypted: true, authorized: true, getPeerCertificate: () => legacy, ...more };
}

test('AUTHN-14 a certificate names its last common name, all organizations and the uid', () => {
  expect(peerOf(connection({ remoteAddress: '10.0.0.1' }))).toMatchObject({
    address: '10.0.0.1',
    certificate: { commonName: 'ann', organizations: ['dev', 'ops'], uids: ['my-uid'] },
  });
});

test('AUTHN-14 one of an unknown CA has no user, but an error', () => {
  const authorizationError = 'DEPTH_ZERO_SELF_SIGNED_CERT';
  expect(peerOf(connection({ authorized: false, authorizationError }))).toEqual({
    certificateProblem: authorizationError,
  });
});

test('AUTHN-14 without a certificate, or without TLS, there is no user', () => {
  expect(peerOf(connection({ authorized: false, getPeerCertificate: () => ({}) }))).toEqual({});
  expect(peerOf({})).toEqual({});
});

test('AUTHN-14 a certificate is no longer valid when it expires, though the connection lasts', () => {
  const socket = connection({ remoteAddress: '10.0.0.1' });
  const end = Date.parse(certificate.validTo);
  expect(peerOf(socket, end)).toMatchObject({ certificate: { commonName: 'ann' } });
  expect(peerOf(socket, end + 1)).toEqual({ address: '10.0.0.1', certificateProblem: 'CERT_HAS_EXPIRED' });
});
