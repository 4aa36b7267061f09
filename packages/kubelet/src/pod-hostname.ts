import type { Pod } from '@coracle/api';

/** The pod's short name; one that overrides all others is the pod's whole name. */
export function hostnameOf({ metadata, spec }: Pod): string {
  return spec?.hostnameOverride ?? (spec?.hostname || (metadata.name ?? '').slice(0, 63).replace(/[-.]+$/, ''));
}

/** The pod's name in the domain of its headless service; `undefined` if it is in none. */
export function fullNameOf(pod: Pod, clusterDomain: string): string | undefined {
  const { subdomain, hostnameOverride } = pod.spec ?? {};
  if (!subdomain || hostnameOverride !== undefined) return undefined;
  return `${hostnameOf(pod)}.${subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}`;
}
