import type { Service } from '../../generated/types/core-v1.js';

/** A headless service: DNS answers with the addresses of its pods. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
}

/** Whether traffic from outside the cluster can reach it. */
export function isExternallyAccessible({ spec = {} }: Service): boolean {
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') return true;
  return spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0;
}

/** Whether load balancers probe each node for endpoints of the service. */
export function needsHealthCheck({ spec = {} }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
