import type { CertificatePair } from '@coracle/ingress';
import { createAuthority } from '../pki/certificates.js';

const yearMs = 365 * 24 * 3_600_000;

/** A certificate that nobody trusts, for clients that ask for a host without one: they learn that it is not meant for them. */
export function selfSignedCertificate(now: number): Promise<CertificatePair> {
  return createAuthority('ingress.local', { notBefore: new Date(now - 60_000), notAfter: new Date(now + yearMs) });
}
