import {
  type DeviceQuotaSource,
  plus,
  type QuotaEvaluators,
  type ResourceAmounts,
  type ResourceQuota,
  refs,
  usageUnder,
} from '@coracle/api';
import type { GroupResource } from '@coracle/apimachinery';
import type { ControllerContext } from '../controller.js';
import type { CountedResources } from './counted-resources.js';

/** How much of what quotas limit is in use. */
export class QuotaUsage {
  readonly #context: ControllerContext;
  readonly #evaluators: QuotaEvaluators;
  readonly #counted: CountedResources;

  constructor(context: ControllerContext, evaluators: QuotaEvaluators, counted: CountedResources) {
    this.#context = context;
    this.#evaluators = evaluators;
    this.#counted = counted;
  }

  async of(quota: ResourceQuota): Promise<ResourceAmounts> {
    const usage: ResourceAmounts = new Map();
    if (limitsDevices(quota)) await devicesSynced(this.#context);
    for (const resource of this.#chargedResources(quota)) {
      const objects = await this.#counted.objects(resource, quota.metadata.namespace ?? '');
      // A resource that is not served cannot be counted.
      if (!objects) continue;
      const now = this.#context.clock.now();
      const own = usageUnder(quota, this.#evaluators.for(resource), { objects, now });
      for (const [name, amount] of own) usage.set(name, plus(usage.get(name), amount));
    }
    return usage;
  }

  /** Each once, however many names stand for it. */
  #chargedResources({ spec }: ResourceQuota): Iterable<GroupResource> {
    const found = new Map<string, GroupResource>();
    for (const name of Object.keys(spec?.hard ?? {}))
      for (const resource of this.#evaluators.charged(name))
        found.set(`${resource.group}/${resource.resource}`, resource);
    return found.values();
  }
}

/** Extended resources, and what counts resource claims, may be charged for devices. */
function limitsDevices({ spec }: ResourceQuota): boolean {
  return Object.keys(spec?.hard ?? {}).some((name) => name.startsWith('requests.') && name.includes('/'));
}

async function devicesSynced({ informers }: ControllerContext): Promise<void> {
  const { deviceClasses, pods, resourceClaims } = refs;
  await Promise.all([
    informers.for(deviceClasses).synced(),
    informers.for(pods).synced(),
    informers.for(resourceClaims).synced(),
  ]);
}

/** Its informers are opened by the first quota that limits devices. */
export function deviceSource({ informers }: ControllerContext): DeviceQuotaSource {
  return {
    classes: () => informers.for(refs.deviceClasses).list(),
    pod: (namespace, name) => informers.for(refs.pods).get(`${namespace}/${name}`),
    claims: (namespace) => informers.for(refs.resourceClaims).list(namespace),
  };
}
