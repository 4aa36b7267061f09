import { refs, type Service } from '@coracle/api';
import { isNotFound, keyOf, type ObjectKey, withFinalizer, withoutFinalizer } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { parseAddressPool } from './address-pool.js';
import { cleanupFinalizer, planLoadBalancer, wantsLoadBalancer } from './plan-load-balancer.js';

export interface LoadBalancerOptions {
  /** Networks and ranges that services of type LoadBalancer get their addresses from. */
  readonly pool: readonly string[];
}

/**
 * Allocates addresses of a pool to services of type LoadBalancer, as the service controller of a cloud provider does.
 */
export function serviceLoadBalancerController({ pool: texts }: LoadBalancerOptions): Controller {
  const pool = parseAddressPool(texts);
  return {
    name: 'service-lb-controller',
    account: 'service-controller',
    component: 'service-controller',
    start(context) {
      const services = context.informers.for(refs.services);
      const failed = new Set<ObjectKey>();
      return runKeyed(context, {
        name: 'service',
        // Serialized, so that no address is allocated twice.
        workers: 1,
        watch: (queue) => [
          services.addHandler((event) => {
            const { object } = event;
            const hasAddress = (object.status?.loadBalancer?.ingress ?? []).length > 0;
            // An address may have become free.
            if (hasAddress && (event.type === 'deleted' || !wantsLoadBalancer(object)))
              for (const key of failed) queue.add(key);
            if (event.type === 'deleted') return;
            if (event.type === 'updated') tellChanges(context, event.previous, object);
            queue.add(keyOf(object));
          }),
        ],
        reconcile: async (key) => {
          const service = services.get(key);
          failed.delete(key);
          if (!service) return;
          const plan = planLoadBalancer({ service, pool, taken: addressesOfOthers(services.list(), service) });
          if (plan.kind === 'ensure') await ensure(context, service, plan.addresses);
          if (plan.kind === 'release') await release(context, service);
          if (plan.kind !== 'fail') return;
          failed.add(key);
          record(context, service, 'Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${plan.message}`);
        },
      });
    },
  };
}

function addressesOfOthers(services: readonly Service[], { metadata }: Service): Set<string> {
  return new Set(
    services
      .filter((other) => other.metadata.uid !== metadata.uid)
      .flatMap(({ status }) => status?.loadBalancer?.ingress ?? [])
      .flatMap(({ ip }) => (ip ? [ip] : [])),
  );
}

async function ensure(context: ControllerContext, service: Service, addresses: readonly string[]): Promise<void> {
  const ingress = addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
  const has = (service.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  const isProtected = service.metadata.finalizers?.includes(cleanupFinalizer);
  if (isProtected && deepEqual(has, addresses)) return;
  record(context, service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
  await patchService(context, withFinalizer(service, cleanupFinalizer), ingress);
  record(context, service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
}

async function release(context: ControllerContext, service: Service): Promise<void> {
  record(context, service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
  await patchService(context, withoutFinalizer(service, cleanupFinalizer), undefined);
  record(context, service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
}

/** Finalizers and addresses in one write to the status: the controller may write nothing else. */
async function patchService(
  { client }: ControllerContext,
  { metadata }: Service,
  ingress: readonly object[] | undefined,
): Promise<void> {
  const { name = '', namespace, uid, finalizers = [] } = metadata;
  const patch = {
    metadata: { uid, finalizers: finalizers.length > 0 ? finalizers : null },
    status: { loadBalancer: { ingress: ingress ?? null } },
  };
  await client
    .resource(refs.services, namespace)
    .patch(name, patch, { type: 'merge', subresource: 'status' })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

/** Whether a change matters to load balancers. */
function tellChanges(context: ControllerContext, before: Service, after: Service): void {
  if (!wantsLoadBalancer(before) && !wantsLoadBalancer(after)) return;
  const tell = (reason: string, from: unknown, to: unknown) => {
    if (!deepEqual(from, to)) record(context, after, 'Normal', reason, `${from ?? ''} -> ${to ?? ''}`);
  };
  tell('Type', before.spec?.type, after.spec?.type);
  tell('LoadBalancerIP', before.spec?.loadBalancerIP, after.spec?.loadBalancerIP);
}

function record(
  { recorder }: ControllerContext,
  service: Service,
  ...[type, reason, message]: ['Normal' | 'Warning', string, string]
): void {
  recorder.event({ ...service, apiVersion: 'v1', kind: 'Service' }, type, reason, message);
}
