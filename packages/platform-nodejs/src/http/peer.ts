import type { PeerCertificate } from 'node:tls';
import { subjectAttributes } from '@coracle/api';
import type { CertificateIdentity, Peer } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { systemClock } from '../system-clock.js';

/** The fields of a certificate that are read. */
interface ShownCertificate extends Pick<PeerCertificate, 'raw' | 'subject' | 'valid_to' | 'fingerprint256'> {
  readonly issuerCertificate?: ShownCertificate;
}

/** The fields of a connection that are read, with or without TLS. */
export interface PeerSocket {
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean;
  readonly authorized?: boolean;
  readonly authorizationError?: unknown;
  /** Empty without a certificate. */
  getPeerCertificate?(detailed: true): ShownCertificate | { readonly raw?: undefined };
}

/** Computed once per connection: parsing a certificate costs more than answering a request. */
const peers = new WeakMap<object, Peer>();

/**
 * The identity of the peer by TLS. A certificate that no client CA has signed is ignored, and so is one that has
 * expired: connections outlive certificates.
 */
export function peerOf(socket: PeerSocket, now: Millis = systemClock.now()): Peer {
  const entry = peers.get(socket) ?? remember(socket, meet(socket));
  const end = entry.certificate?.expiresAt;
  if (end === undefined || now <= end) return entry;
  const { certificate: _over, ...rest } = entry;
  return remember(socket, { ...rest, certificateProblem: 'CERT_HAS_EXPIRED' });
}

function remember(socket: PeerSocket, peer: Peer): Peer {
  peers.set(socket, peer);
  return peer;
}

function meet(socket: PeerSocket): Peer {
  const address = socket.remoteAddress;
  return { ...(address && { address }), ...shownBy(socket) };
}

function shownBy(tls: PeerSocket): Pick<Peer, 'certificate' | 'certificateProblem'> {
  const shown = tls.encrypted ? tls.getPeerCertificate?.(true) : undefined;
  if (!shown?.raw) return {};
  if (!tls.authorized) return { certificateProblem: String(tls.authorizationError) };
  return { certificate: identity(shown) };
}

/** An attribute that occurs several times in a subject is a list. */
type Subject = Readonly<Record<string, string | readonly string[] | undefined>>;

function identity(certificate: ShownCertificate): CertificateIdentity {
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

/** The attribute of a subject with the user's uid. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

function fingerprintOf({ fingerprint256 }: ShownCertificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

/** The last one in a chain is its own issuer. */
function issuersOf(certificate: ShownCertificate): string[] {
  const found: string[] = [];
  let one: ShownCertificate | undefined = certificate.issuerCertificate;
  while (one?.fingerprint256 && !found.includes(fingerprintOf(one))) {
    found.push(fingerprintOf(one));
    one = one.issuerCertificate;
  }
  return found;
}
