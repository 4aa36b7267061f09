import type { networkingv1, Secret } from '@coracle/api';
import { certificateIn } from '../certificate-secret.js';
import type { Route } from '../routes/route.js';
import type { Listener } from '../routes/routing-table.js';

type Ingress = networkingv1.Ingress;

export const httpPort = 80;
export const httpsPort = 443;

/**
 * The listeners of all ingresses: HTTP, and HTTPS from the first on that requests TLS. Without an ingress there is
 * none.
 */
export function ingressListeners(
  ingresses: readonly Ingress[],
  routes: readonly Route[],
  secretOf: (namespace: string, name: string) => Secret | undefined,
): Listener[] {
  if (ingresses.length === 0) return [];
  const shared = { hostname: '', routes, kind: 'ingress' } as const;
  const plain: Listener = { ...shared, port: httpPort, tls: false, certificates: [] };
  if (!ingresses.some(({ spec }) => (spec?.tls ?? []).length > 0)) return [plain];
  const certificates = ingresses.flatMap((ingress) => certificatesOf(ingress, secretOf));
  return [plain, { ...shared, port: httpsPort, tls: true, certificates }];
}

/** A secret without hosts applies to every host. A missing or invalid one is skipped. */
function certificatesOf(
  { metadata, spec }: Ingress,
  secretOf: (namespace: string, name: string) => Secret | undefined,
): Listener['certificates'] {
  return (spec?.tls ?? []).flatMap(({ hosts = [], secretName }) => {
    const pair = secretName ? certificateIn(secretOf(metadata.namespace ?? '', secretName)) : undefined;
    if (!pair) return [];
    return (hosts.length > 0 ? hosts : ['']).map((host) => ({ hostname: host.toLowerCase(), pair }));
  });
}
