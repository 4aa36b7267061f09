import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { CertificateIdentity, Peer } from '@coracle/apimachinery';

/** Worked out once a connection: reading a certificate costs more than answering a request. */
const peers = new WeakMap<object, Peer>();

/** Who is at the other end, as far as TLS can tell. A certificate that no client CA vouches for counts for nothing. */
export function peerOf(socket: Socket): Peer {
  const known = peers.get(socket);
  if (known) return known;
  const tls = socket as TLSSocket;
  const certificate = tls.authorized ? identity(tls.getPeerCertificate(true)) : undefined;
  const address = socket.remoteAddress;
  const peer: Peer = { ...(address && { address }), ...(certificate && { certificate }) };
  peers.set(socket, peer);
  return peer;
}

function identity(certificate: DetailedPeerCertificate): CertificateIdentity | undefined {
  // A connection without a certificate gives an empty object.
  if (!certificate.subject) return undefined;
  const { CN: commonName, O: organizations } = certificate.subject as { CN?: string; O?: string | string[] };
  return {
    commonName: commonName ?? '',
    organizations: organizations === undefined ? [] : [organizations].flat(),
    fingerprint: fingerprintOf(certificate),
    issuers: issuersOf(certificate),
    expiresAt: Date.parse(certificate.valid_to),
  };
}

function fingerprintOf({ fingerprint256 }: DetailedPeerCertificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

/** The last one in a chain is its own issuer. */
function issuersOf(certificate: DetailedPeerCertificate): string[] {
  const found: string[] = [];
  let one: DetailedPeerCertificate | undefined = certificate.issuerCertificate;
  while (one?.fingerprint256 && !found.includes(fingerprintOf(one))) {
    found.push(fingerprintOf(one));
    one = one.issuerCertificate;
  }
  return found;
}
