/** The signer of the API server's serving certificates. */
export const servingSigner = 'kubernetes.io/kube-apiserver-serving';

const hashBytes = 20;

/** A name with a hash of the content, so that a new bundle exists before the old one is deleted. */
export async function bundleName(trustBundle: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(trustBundle)));
  const hex = [...hash.slice(0, hashBytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${servingSigner.replaceAll('/', ':')}:${hex}`;
}
