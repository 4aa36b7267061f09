import { type Node, type Pod, podResources } from '@coracle/api';
import { parseQuantity, Quantity } from '@coracle/apimachinery';

/** Why a pod may not run on this node. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** The last word before a pod starts: what the scheduler thought, or whoever bound the pod, may be outdated. */
export function refusalOf(pod: Pod, node: Node | undefined, others: readonly Pod[]): Refusal | undefined {
  if (!node) return undefined;
  return osRefusal(pod, node) ?? selectorRefusal(pod, node) ?? resourceRefusal(pod, node, others);
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

function resourceRefusal(pod: Pod, node: Node, others: readonly Pod[]): Refusal | undefined {
  const { allocatable = {} } = node.status ?? {};
  const pods = allocatable['pods'];
  if (pods !== undefined && others.length + 1 > parseQuantity(pods).value())
    return outOf('pods', Quantity.of(1), Quantity.of(others.length), parseQuantity(pods));
  for (const [name, asked] of podResources(pod.spec ?? { containers: [] }, 'requests')) {
    if (asked.isZero) continue;
    const there = parseQuantity(allocatable[name] ?? '0');
    const used = others.reduce(
      (sum, { spec }) => sum.add(podResources(spec ?? { containers: [] }, 'requests').get(name) ?? Quantity.zero),
      Quantity.zero,
    );
    if (used.add(asked).compare(there) > 0) return outOf(name, asked, used, there);
  }
  return undefined;
}

function outOf(resource: string, asked: Quantity, used: Quantity, capacity: Quantity): Refusal {
  const count = (amount: Quantity) => (resource === 'cpu' ? amount.milliValue() : amount.value());
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${count(asked)}, used: ${count(used)}, capacity: ${count(capacity)}`,
  };
}
