import { parseQuantity, type Quantity } from '@coracle/apimachinery';
import type { Container, PodSpec } from '../../generated/types/core-v1.js';

/** Resource name → amount. */
export type ResourceAmounts = Map<string, Quantity>;

export type ResourceSide = 'requests' | 'limits';

/**
 * The total requests or limits of a pod. Its containers run concurrently, so they add up. Init containers run before
 * them and one after the other, so the largest counts; those that restart (sidecars) keep running and add to the later
 * ones. Pod-level resources replace the sum. The overhead is added.
 */
export function podResources(spec: PodSpec, side: ResourceSide): ResourceAmounts {
  const total = sumOfContainers(spec, side);
  for (const [name, amount] of Object.entries(spec.resources?.[side] ?? {})) total.set(name, parseQuantity(amount));
  // An overhead is no limit where there was none.
  if (side === 'requests' || total.size > 0) addTo(total, amountsOf(spec.overhead), side === 'limits');
  return total;
}

function sumOfContainers(spec: PodSpec, side: ResourceSide): ResourceAmounts {
  const running: ResourceAmounts = new Map();
  for (const container of spec.containers) addTo(running, containerResources(container, side));
  const sidecars: ResourceAmounts = new Map();
  const peak: ResourceAmounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = containerResources(container, side);
    if (container.restartPolicy === 'Always') {
      addTo(running, own);
      addTo(sidecars, own);
      raiseTo(peak, sidecars);
      continue;
    }
    addTo(own, sidecars);
    raiseTo(peak, own);
  }
  raiseTo(running, peak);
  return running;
}

export function containerResources(container: Container, side: ResourceSide): ResourceAmounts {
  return amountsOf(container.resources?.[side]);
}

export function amountsOf(list: Readonly<Record<string, string>> | undefined): ResourceAmounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]));
}

export function addTo(total: ResourceAmounts, amounts: ResourceAmounts, onlyKnown = false): void {
  for (const [name, amount] of amounts) {
    const entry = total.get(name);
    if (entry || !onlyKnown) total.set(name, entry ? entry.add(amount) : amount);
  }
}

function raiseTo(total: ResourceAmounts, amounts: ResourceAmounts): void {
  for (const [name, amount] of amounts) {
    const current = total.get(name);
    if (!current || current.compare(amount) < 0) total.set(name, amount);
  }
}
