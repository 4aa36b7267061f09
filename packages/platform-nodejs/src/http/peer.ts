import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { subjectAttributes } from '@coracle/api';
import type { CertificateIdentity, Peer } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { systemClock } from '../system-clock.js';

/** Worked out once a connection: reading a certificate costs more than answering a request. */
const peers = new WeakMap<object, Peer>();

/**
 * The identity of the peer by TLS. A certificate that no client CA has signed is ignored, and so is one that has
 * expired: connections outlive certificates.
 */
export function peerOf(socket: Socket, now: Millis = systemClock.now()): Peer {
  const entry = peers.get(socket) ?? remember(socket, meet(socket));
  const end = entry.certificate?.expiresAt;
  if (end === undefined || now <= end) return entry;
  const { certificate: _over, ...rest } = entry;
  return remember(socket, { ...rest, certificateProblem: 'CERT_HAS_EXPIRED' });
}

function remember(socket: Socket, peer: Peer): Peer {
  peers.set(socket, peer);
  return peer;
}

function meet(socket: Socket): Peer {
  const address = socket.remoteAddress;
  return { ...(address && { address }), ...shownBy(socket as TLSSocket) };
}

function shownBy(tls: TLSSocket): Pick<Peer, 'certificate' | 'certificateProblem'> {
  if (!tls.encrypted) return {};
  const shown = tls.getPeerCertificate(true);
  // A connection without a certificate gives an empty object.
  if (!shown.raw) return {};
  if (!tls.authorized) return { certificateProblem: String(tls.authorizationError) };
  return { certificate: identity(shown) };
}

/** An attribute that stands several times in a subject is a list. */
type Subject = Readonly<Record<string, string | readonly string[] | undefined>>;

function identity(certificate: DetailedPeerCertificate): CertificateIdentity {
  const subject: Subject = { ...certificate.subject };
  const { CN: commonNames = [], O: organizations = [] } = subject;
  const uids = subjectAttributes(certificate.raw, uidAttribute);
  return {
    commonName: [commonNames].flat().at(-1) ?? '',
    organizations: [organizations].flat(),
    ...(uids.length > 0 && { uids }),
    fingerprint: fingerprintOf(certificate),
    issuers: issuersOf(certificate),
    expiresAt: Date.parse(certificate.valid_to),
  };
}

/** The attribute of a subject that tells the user's uid. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

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
