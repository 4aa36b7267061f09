import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { KeyPair } from '../pki/key-pair.js';

/** A certificate for clients that request one of these names; by default those in the certificate. */
export interface NamedCertificate extends KeyPair {
  readonly names: readonly string[];
}

interface Entry {
  readonly options: SecureContextOptions;
  readonly context: SecureContext;
}

/** Certificates by the name that a client requests (SNI), or by the address at which it connects if it requests none. */
export class NamedCertificates {
  readonly #byName: ReadonlyMap<string, Entry>;

  /** Stated names take precedence over those in certificates, and earlier certificates over later ones. */
  constructor(certificates: readonly NamedCertificate[], shared: SecureContextOptions) {
    const found = new Map<string, Entry>();
    const stated = new Map<string, Entry>();
    for (const { certificate, key, names } of certificates.toReversed()) {
      const options = { ...shared, cert: certificate, key };
      const entry = { options, context: createSecureContext(options) };
      for (const name of names) stated.set(canonical(name), entry);
      if (names.length === 0) for (const name of namesIn(certificate)) found.set(canonical(name), entry);
    }
    this.#byName = new Map([...found, ...stated]);
  }

  /** An exact name takes precedence over a wildcard. */
  find(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase().replace(/\.$/, '');
    return (this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*')))?.context;
  }

  /** For an IP address of this machine. */
  findAddress(address: string): SecureContextOptions | undefined {
    return this.#byName.get(canonical(address.replace(/^::ffff:(?=.*\.)/i, '')))?.options;
  }
}

/** An IPv6 address has many forms. */
function canonical(name: string): string {
  return isIPv6(name) ? new URL(`http://[${name}]`).hostname : name.toLowerCase();
}

/** Includes the common name if it is a host name: old certificates have no other. */
function namesIn(pem: string): string[] {
  const { subject, subjectAltName } = new X509Certificate(pem);
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
  const others = (subjectAltName ?? '').split(', ').map((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? '');
  return [/^[a-z0-9*.-]+$/i.test(commonName) ? commonName : '', ...others].filter((name) => name !== '');
}
