import type { CertificatePair } from '@coracle/ingress';
import { createAuthority } from '../pki/certificates.js';

const yearMs = 365 * 24 * 3_600_000;

/**
 * An untrusted certificate, for clients that request a host without a certificate. Its key is RSA: OpenSSL keeps one
 * certificate per type of key, and prefers ECDSA. With ECDSA it would be shown instead of a host's certificate with RSA.
 */
export function selfSignedCertificate(now: number): Promise<CertificatePair> {
  const [notBefore, notAfter] = [new Date(now - 60_000), new Date(now + yearMs)];
  return createAuthority('ingress.local', { notBefore, notAfter, keyType: 'rsa' });
}
