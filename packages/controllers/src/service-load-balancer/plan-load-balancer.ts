import type { Service } from '@coracle/api';
import { type AddressPool, freeAddress, poolContains } from './address-pool.js';

export const cleanupFinalizer = 'service.kubernetes.io/load-balancer-cleanup';

export type LoadBalancerPlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'release' }
  | { readonly kind: 'ensure'; readonly addresses: readonly string[] }
  | { readonly kind: 'fail'; readonly message: string };

export interface LoadBalancerInput {
  readonly service: Service;
  readonly pool: AddressPool;
  /** Addresses of other services. */
  readonly taken: ReadonlySet<string>;
}

/** Whether the service is for this provider: one with another load balancer class is not. */
export function wantsLoadBalancer({ metadata, spec }: Service): boolean {
  return spec?.type === 'LoadBalancer' && !spec.loadBalancerClass && !metadata.deletionTimestamp;
}

export function planLoadBalancer({ service, pool, taken }: LoadBalancerInput): LoadBalancerPlan {
  const isOurs = service.metadata.finalizers?.includes(cleanupFinalizer) ?? false;
  if (!wantsLoadBalancer(service)) return isOurs ? { kind: 'release' } : { kind: 'nothing' };
  const addresses: string[] = [];
  for (const family of service.spec?.ipFamilies ?? ['IPv4']) {
    const found = addressFor({ service, pool, taken }, family === 'IPv6' ? 6 : 4);
    if (found.kind === 'fail') return found;
    if (found.address !== undefined) addresses.push(found.address);
  }
  if (addresses.length === 0) return { kind: 'fail', message: 'no address of the pool is free' };
  return { kind: 'ensure', addresses };
}

type Found =
  | { readonly kind: 'found'; readonly address: string | undefined }
  | { readonly kind: 'fail'; readonly message: string };

/** The requested address, otherwise the current one, otherwise a free one. */
function addressFor({ service, pool, taken }: LoadBalancerInput, family: 4 | 6): Found {
  const isOfFamily = (address: string) => address.includes(':') === (family === 6);
  const { loadBalancerIP } = service.spec ?? {};
  if (loadBalancerIP && isOfFamily(loadBalancerIP)) {
    if (!poolContains(pool, loadBalancerIP))
      return { kind: 'fail', message: `${loadBalancerIP} is not in the pool of addresses` };
    if (taken.has(loadBalancerIP)) return { kind: 'fail', message: `${loadBalancerIP} is used by another service` };
    return { kind: 'found', address: loadBalancerIP };
  }
  const current = service.status?.loadBalancer?.ingress?.map(({ ip }) => ip ?? '').find(isOfFamily);
  if (current && poolContains(pool, current) && !taken.has(current)) return { kind: 'found', address: current };
  return { kind: 'found', address: freeAddress(pool, family, taken) };
}
