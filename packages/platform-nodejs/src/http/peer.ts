import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { CertificateIdentity, Peer } from '@coracle/apimachinery';

/** Worked out once a connection: reading a certificate costs more than answering a request. */
const peers = new WeakMap<object, Peer>();

/** Who is at the other end, as far as TLS can tell. A certificate that no client CA vouches for counts for nothing. */
export function peerOf(socket: Socket): Peer {
  const known = peers.get(socket);
  if (known) return known;
  const tls = socket as TLSSocket;
  const certificate = tls.authorized ? identity(tls.getPeerCertificate()) : undefined;
  const address = socket.remoteAddress;
  const peer: Peer = { ...(address && { address }), ...(certificate && { certificate }) };
  peers.set(socket, peer);
  return peer;
}

function identity(certificate: PeerCertificate): CertificateIdentity | undefined {
  // A connection without a certificate gives an empty object.
  if (!certificate.subject) return undefined;
  const { CN: commonName, O: organizations } = certificate.subject as { CN?: string; O?: string | string[] };
  return {
    commonName: commonName ?? '',
    organizations: organizations === undefined ? [] : [organizations].flat(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    expiresAt: Date.parse(certificate.valid_to),
  };
}
