import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** TLS settings with the names of Go's `crypto/tls`, which Kubernetes' flags use. */
export interface TlsSettings {
  /** For TLS 1.2 and before; Go's secure ones by default. TLS 1.3 has three, which are always enabled. */
  readonly cipherSuites?: readonly string[];
  /** `VersionTLS12` unless stated. */
  readonly minVersion?: string;
}

const versions: Readonly<Record<string, 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

/** In Go's order of preference on machines that compute AES in hardware, which all that matter do. */
const modernSuites = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Go's names with those of OpenSSL, in Go's order of preference: a Go server ignores the configured order. */
const safeSuites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
};

/** Only enabled by name. OpenSSL no longer has RC4 and triple DES, which Go has. */
const unsafeSuites: Readonly<Record<string, string>> = {
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
};

/** Former names. */
const aliases: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
};

const knownSuites = { ...safeSuites, ...unsafeSuites };

/** OpenSSL refuses versions before 1.2 at its default security level. */
const forOldVersions = '@SECLEVEL=0';

/** The settings for OpenSSL. Throws if they name unknown versions or cipher suites. */
export function tlsAgreement(settings: TlsSettings = {}): SecureContextOptions {
  const minVersion = versions[settings.minVersion ?? 'VersionTLS12'];
  if (!minVersion) throw new Error(`unknown tls version ${JSON.stringify(settings.minVersion)}`);
  const cipherNames = settings.cipherSuites?.map(supportedCipher);
  const suites = cipherNames
    ? Object.keys(knownSuites).filter((name) => cipherNames.includes(name))
    : Object.keys(safeSuites);
  const isOld = minVersion === 'TLSv1' || minVersion === 'TLSv1.1';
  return {
    minVersion,
    ciphers: [...modernSuites, ...suites.map((name) => knownSuites[name]), ...(isOld ? [forOldVersions] : [])].join(
      ':',
    ),
    honorCipherOrder: true,
    // A client that prefers ChaCha20 has no AES hardware, so the server uses it too.
    secureOptions: constants.SSL_OP_PRIORITIZE_CHACHA,
  };
}

function supportedCipher(name: string): string {
  const current = aliases[name] ?? name;
  if (Object.hasOwn(knownSuites, current) || modernSuites.includes(current)) return current;
  throw new Error(`Cipher suite ${name} not supported or doesn't exist`);
}
