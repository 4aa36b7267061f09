import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { KeyPair } from '../pki/key-pair.js';

/** A certificate for clients that request one of these names; those that it holds itself if there are none. */
export interface NamedCertificate extends KeyPair {
  readonly names: readonly string[];
}

/** Certificates by the name that a client requests (SNI). */
export class NamedCertificates {
  readonly #byName: ReadonlyMap<string, SecureContext>;

  /** Names that are stated count more than those in certificates, and earlier certificates more than later ones. */
  constructor(certificates: readonly NamedCertificate[], shared: SecureContextOptions) {
    const found = new Map<string, SecureContext>();
    const stated = new Map<string, SecureContext>();
    for (const { certificate, key, names } of certificates.toReversed()) {
      const context = createSecureContext({ ...shared, cert: certificate, key });
      for (const name of names) stated.set(name.toLowerCase(), context);
      if (names.length === 0) for (const name of namesIn(certificate)) found.set(name.toLowerCase(), context);
    }
    this.#byName = new Map([...found, ...stated]);
  }

  /** A name as it is counts more than one with a star in place of its first part. */
  find(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase().replace(/\.$/, '');
    return this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*'));
  }
}

/** The common name as well, if it is a host name: old certificates have nothing else. */
function namesIn(pem: string): string[] {
  const { subject, subjectAltName } = new X509Certificate(pem);
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
  const others = (subjectAltName ?? '').split(', ').map((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? '');
  return [/^[a-z0-9*.-]+$/i.test(commonName) ? commonName : '', ...others].filter((name) => name !== '');
}
