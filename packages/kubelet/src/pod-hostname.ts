import type { Pod } from '@coracle/api';

/** The hostname of the pod; `hostnameOverride` is its whole name. */
export function hostnameOf({ metadata, spec }: Pod): string {
  return spec?.hostnameOverride ?? (spec?.hostname || (metadata.name ?? '').slice(0, 63).replace(/[-.]+$/, ''));
}

/** The pod's FQDN in its headless service; `undefined` without a subdomain. */
export function fullNameOf(pod: Pod, clusterDomain: string): string | undefined {
  const { subdomain, hostnameOverride } = pod.spec ?? {};
  if (!subdomain || hostnameOverride !== undefined) return undefined;
  return `${hostnameOf(pod)}.${subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}`;
}
