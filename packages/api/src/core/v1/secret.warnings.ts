import type { Secret } from '../../generated/types/core-v1.js';

/** A TLS secret whose certificate and key cannot be read is stored, with a warning. */
export function secretWarnings(secret: Secret): string[] {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const certificate = atob(secret.data?.['tls.crt'] ?? '');
  const key = atob(secret.data?.['tls.key'] ?? '');
  const problem = certificateProblem(certificate) ?? keyProblem(key);
  return problem === undefined ? [] : [problem];
}

function certificateProblem(pem: string): string | undefined {
  const types = pemTypes(pem);
  if (types.includes('CERTIFICATE')) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function keyProblem(pem: string): string | undefined {
  const types = pemTypes(pem);
  if (types.some((type) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function pemTypes(pem: string): string[] {
  return [...pem.matchAll(/-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g)].map(([, type = '']) => type);
}
