/** Who signs the certificates that API servers show. */
export const servingSigner = 'kubernetes.io/kube-apiserver-serving';

const hashBytes = 20;

/** A name that changes with the content, so that a new bundle is there before the old one goes. */
export async function bundleName(trustBundle: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(trustBundle)));
  const hex = [...hash.slice(0, hashBytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${servingSigner.replaceAll('/', ':')}:${hex}`;
}
