import type { RequestedNames } from './read-request.js';

/** The signers that every cluster has. */
export const signers = {
  apiServerClient: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
  legacy: 'kubernetes.io/legacy-unknown',
} as const;

const nodeGroup = 'system:nodes';
const nodePrefix = 'system:node:';

/** Why a signer does not sign this; `undefined` if it does. */
export function signerRefusal(
  signerName: string,
  request: RequestedNames,
  usages: readonly string[],
): string | undefined {
  switch (signerName) {
    case signers.kubeletClient:
      return kubeletRefusal(request) ?? extraNames(request) ?? wrongUsages(usages, 'client auth');
    case signers.kubeletServing:
      return kubeletRefusal(request) ?? servingNames(request) ?? wrongUsages(usages, 'server auth');
    case signers.apiServerClient:
      return clientUsages(usages);
    default:
      return undefined;
  }
}

function kubeletRefusal({ commonName, organizations }: RequestedNames): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== nodeGroup) {
    return 'subject organization is not system:nodes';
  }
  return commonName.startsWith(nodePrefix) ? undefined : 'subject common name does not begin with system:node: ';
}

function extraNames({ dnsNames, emailAddresses, ipAddresses, uris }: RequestedNames): string | undefined {
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'email subjectAltNames are not allowed';
  if (ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;
}

function servingNames({ dnsNames, emailAddresses, ipAddresses, uris }: RequestedNames): string | undefined {
  if (dnsNames.length === 0 && ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (emailAddresses.length > 0) return 'email subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;
}

/** Key encipherment is for RSA keys alone, and so may be left out. */
function wrongUsages(usages: readonly string[], purpose: 'client auth' | 'server auth'): string | undefined {
  const needed = ['digital signature', purpose];
  const allowed = [...needed, 'key encipherment'];
  const fits = needed.every((usage) => usages.includes(usage)) && usages.every((usage) => allowed.includes(usage));
  return fits ? undefined : `usages did not match [digital signature ${purpose}]`;
}

function clientUsages(usages: readonly string[]): string | undefined {
  const allowed = ['signing', 'digital signature', 'key encipherment', 'client auth'];
  const wrong = usages.find((usage) => !allowed.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'expected usage "client auth" is missing';
}
