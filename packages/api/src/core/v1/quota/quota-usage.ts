import { type GroupResource, type KubeObject, Quantity } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ResourceQuota } from '../../../generated/types/core-v1.js';
import type { ResourceAmounts } from '../pod-resources.js';
import { claimEvaluator } from './claim-evaluator.js';
import { countEvaluator } from './count-evaluator.js';
import type { DeviceQuotaSource } from './extended-claim-charges.js';
import { podEvaluator } from './pod-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { isInScope } from './quota-scopes.js';
import { resourceClaimEvaluator } from './resource-claim-evaluator.js';
import { serviceEvaluator } from './service-evaluator.js';

/** How objects are charged, by resource. */
export class QuotaEvaluators {
  readonly #special: ReadonlyMap<string, QuotaEvaluator>;

  constructor(devices: DeviceQuotaSource) {
    this.#special = new Map(
      [podEvaluator, serviceEvaluator, claimEvaluator, resourceClaimEvaluator(devices)].map((evaluator) => [
        `${evaluator.group}/${evaluator.resource}`,
        // Each is only called with objects of its own resource.
        evaluator as QuotaEvaluator,
      ]),
    );
  }

  for(resource: GroupResource): QuotaEvaluator {
    return this.#special.get(`${resource.group}/${resource.resource}`) ?? countEvaluator(resource);
  }

  /** The resources whose objects are charged under a name; none if the name makes no sense. */
  charged(name: string): GroupResource[] {
    const special = [...this.#special.values()].filter(({ counts }) => counts(name));
    if (special.length > 0) return special.map(({ group, resource }) => ({ group, resource }));
    const counted = name.startsWith('count/') ? name.slice('count/'.length) : name;
    const dot = counted.indexOf('.');
    const found = dot < 0 ? { group: '', resource: counted } : splitAt(counted, dot);
    return countEvaluator(found).counts(name) ? [found] : [];
  }
}

function splitAt(text: string, dot: number): GroupResource {
  return { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** The usage of objects of one resource, for those names of a quota that apply to them. */
export function usageUnder(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator,
  { objects, now }: { readonly objects: Iterable<KubeObject>; readonly now: Millis },
): ResourceAmounts {
  const names = Object.keys(quota.spec?.hard ?? {}).filter((name) => evaluator.counts(name));
  const total: ResourceAmounts = new Map(names.map((name) => [name, Quantity.zero]));
  if (names.length === 0) return total;
  for (const object of objects) {
    if (!isInScope(quota, evaluator, object)) continue;
    const usage = evaluator.usage(object, now);
    for (const name of names) {
      const amount = usage.get(name);
      if (amount) total.set(name, plus(total.get(name), amount));
    }
  }
  return total;
}

/** Zero has no format of its own: the sum has the format of the other part. */
export function plus(a: Quantity | undefined, b: Quantity): Quantity {
  return !a || a.isZero ? b : a.add(b);
}

/** The change of usage if one replaces the other. */
export function usageDifference(usage: ResourceAmounts, previous: ResourceAmounts): ResourceAmounts {
  const difference: ResourceAmounts = new Map();
  for (const name of new Set([...usage.keys(), ...previous.keys()])) {
    const change = (usage.get(name) ?? Quantity.zero).sub(previous.get(name) ?? Quantity.zero);
    if (!change.isZero) difference.set(name, change);
  }
  return difference;
}
