import type { CertificatePair } from '@coracle/ingress';
import { createAuthority } from '../pki/certificates.js';

const yearMs = 365 * 24 * 3_600_000;

/** An untrusted certificate, for clients that request a host without a certificate. */
export function selfSignedCertificate(now: number): Promise<CertificatePair> {
  return createAuthority('ingress.local', { notBefore: new Date(now - 60_000), notAfter: new Date(now + yearMs) });
}
