import { addTo, type Node, type Pod, podResources, type ResourceAmounts } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';

/** Why a pod may not run on this node. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** The last word before a pod starts: what the scheduler thought, or whoever bound the pod, may be outdated. */
export function refusalOf(pod: Pod, node: Node | undefined, used: UsedResources): Refusal | undefined {
  if (!node) return undefined;
  return osRefusal(pod, node) ?? selectorRefusal(pod, node) ?? resourceRefusal(pod, node, used);
}

function osRefusal({ spec }: Pod, node: Node): Refusal | undefined {
  const os = node.metadata.labels?.['kubernetes.io/os'];
  if (!spec?.os?.name || !os || spec.os.name === os) return undefined;
  return {
    reason: 'PodOSNotSupported',
    message: `Failed to admit pod as the OS field doesn't match node OS`,
  };
}

function selectorRefusal({ spec }: Pod, node: Node): Refusal | undefined {
  const labels = node.metadata.labels ?? {};
  const matches = Object.entries(spec?.nodeSelector ?? {}).every(([name, value]) => labels[name] === value);
  if (matches) return undefined;
  return {
    reason: 'NodeAffinity',
    message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  };
}

function resourceRefusal(pod: Pod, node: Node, used: UsedResources): Refusal | undefined {
  const { allocatable = {} } = node.status ?? {};
  for (const [name, asked] of requestsOf(pod)) {
    if (asked.isZero) continue;
    const there = parseQuantity(allocatable[name] ?? '0');
    const taken = used.amountOf(name);
    if (taken.add(asked).compare(there) > 0) return outOf(name, { asked, taken, there });
  }
  return undefined;
}

/** What the pod asks for; itself counts too. */
function requestsOf({ spec }: Pod): ResourceAmounts {
  return podResources(spec ?? { containers: [] }, 'requests').set('pods', Quantity.of(1));
}

/** What the pods of a node ask for altogether, kept as they come and go. */
export class UsedResources {
  readonly #byPod = new Map<string, ResourceAmounts>();
  readonly #total: ResourceAmounts = new Map();

  amountOf(name: string): Quantity {
    return this.#total.get(name) ?? Quantity.zero;
  }

  add(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    this.remove(uid);
    const amounts = requestsOf(pod);
    this.#byPod.set(uid, amounts);
    addTo(this.#total, amounts);
  }

  remove(uid: string): void {
    for (const [name, amount] of this.#byPod.get(uid) ?? []) this.#total.set(name, this.amountOf(name).sub(amount));
    this.#byPod.delete(uid);
  }
}

interface Shortage {
  readonly asked: Quantity;
  readonly taken: Quantity;
  readonly there: Quantity;
}

function outOf(resource: string, { asked, taken, there }: Shortage): Refusal {
  const count = (amount: Quantity) => (resource === 'cpu' ? amount.milliValue() : amount.value());
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${count(asked)}, used: ${count(taken)}, capacity: ${count(there)}`,
  };
}
