import { computeQosClass, type Pod, podResources, type ResourceAmounts } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';

/** The result of a resize request. */
export type ResizeVerdict =
  | { readonly kind: 'allocate' }
  /** Not possible now, but when other pods end or shrink. */
  | { readonly kind: 'Deferred'; readonly message: string }
  /** Not possible on this node. */
  | { readonly kind: 'Infeasible'; readonly message: string };

export interface ResizeRequest {
  /** The pod in the API. */
  readonly desired: Pod;
  /** The pod as it runs. */
  readonly allocated: Pod;
  /** Allocatable resources of the node. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Resources used by all pods, including this one. */
  readonly used: (resource: string) => Quantity;
  /** The policy that pins guaranteed pods to their resources: `CPU Manager static policy`. */
  readonly pinnedBy?: string;
}

/** Resizable resources, in the order in which shortages are reported. */
const resized = ['memory', 'cpu'] as const;

export function decideResize({ desired, allocated, allocatable, used, pinnedBy }: ResizeRequest): ResizeVerdict {
  if (pinnedBy !== undefined && (desired.status?.qosClass ?? computeQosClass(desired)) === 'Guaranteed')
    return { kind: 'Infeasible', message: `Resize is infeasible for Guaranteed Pods alongside ${pinnedBy}` };
  const requests = requestsOf(desired);
  const held = requestsOf(allocated);
  for (const name of resized) {
    const [requested, there] = [amountIn(requests, name), parseQuantity(allocatable[name] ?? '0')];
    if (requested.compare(there) > 0) return { kind: 'Infeasible', message: beyondCapacity(name, requested, there) };
  }
  for (const name of [...resized].reverse()) {
    const [need, there] = [amountIn(requests, name), parseQuantity(allocatable[name] ?? '0')];
    const taken = used(name).sub(amountIn(held, name));
    if (!need.isZero && taken.add(need).compare(there) > 0)
      return { kind: 'Deferred', message: shortage(name, { need, taken, there }) };
  }
  return { kind: 'allocate' };
}

/** Whether the pod requests more than its allocated resources: such resizes wait for those that release some. */
export function isIncrease(desired: Pod, allocated: Pod): boolean {
  const [desiredRequests, held] = [requestsOf(desired), requestsOf(allocated)];
  return resized.some((name) => amountIn(desiredRequests, name).compare(amountIn(held, name)) > 0);
}

function requestsOf({ spec }: Pod): ResourceAmounts {
  return podResources(spec ?? { containers: [] }, 'requests');
}

function amountIn(amounts: ResourceAmounts, name: string): Quantity {
  return amounts.get(name) ?? Quantity.zero;
}

function count(name: string, amount: Quantity): number {
  return name === 'cpu' ? amount.milliValue() : amount.value();
}

function beyondCapacity(name: string, requested: Quantity, there: Quantity): string {
  return `Node didn't have enough capacity: ${name}, requested: ${count(name, requested)}, capacity: ${count(name, there)}`;
}

interface Shortage {
  readonly need: Quantity;
  readonly taken: Quantity;
  readonly there: Quantity;
}

function shortage(name: string, { need, taken, there }: Shortage): string {
  const [requested, used, capacity] = [need, taken, there].map((amount) => count(name, amount));
  return `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
}
