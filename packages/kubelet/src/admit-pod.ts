import { type Node, type Pod, requiredNodeAffinityMatches, toleratesAny } from '@coracle/api';
import { parseQuantity, type Quantity } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { hostPortsOf, requestsOf, type UsedResources } from './used-resources.js';

/** Why a pod may not run on this node. */
export interface PodRejection {
  readonly reason: string;
  readonly message: string;
}

type Check = (pod: Pod, node: Node, used: UsedResources) => PodRejection | undefined;

/** In this order; the first refusal is reported. */
const checks: readonly Check[] = [
  osLabelRefusal,
  osRefusal,
  resourceRefusal,
  affinityRefusal,
  nameRefusal,
  portRefusal,
  taintRefusal,
];

/** The last word before a pod starts: what the scheduler thought, or the client that bound the pod, may be outdated. */
export function refusalOf(pod: Pod, node: Node | undefined, used: UsedResources): PodRejection | undefined {
  if (!node) return undefined;
  for (const check of checks) {
    const refusal = check(pod, node, used);
    if (refusal) return refusal;
  }
  return undefined;
}

const osLabel = 'kubernetes.io/os';

function osLabelRefusal({ spec }: Pod, { metadata }: Node): PodRejection | undefined {
  const os = spec?.nodeSelector?.[osLabel];
  if (os === undefined || os === metadata.labels?.[osLabel]) return undefined;
  return {
    reason: 'PodOSSelectorNodeLabelDoesNotMatch',
    message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  };
}

function osRefusal({ spec }: Pod, { metadata }: Node): PodRejection | undefined {
  const os = metadata.labels?.[osLabel];
  if (!spec?.os?.name || !os || spec.os.name === os) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

function affinityRefusal({ spec }: Pod, node: Node): PodRejection | undefined {
  if (requiredNodeAffinityMatches(spec, node)) return undefined;
  return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function nameRefusal({ spec }: Pod, { metadata }: Node): PodRejection | undefined {
  if (!spec?.nodeName || spec.nodeName === metadata.name) return undefined;
  return failed('NodeName', "node(s) didn't match the requested node name");
}

function portRefusal(pod: Pod, _node: Node, used: UsedResources): PodRejection | undefined {
  if (!hostPortsOf(pod).some((port) => used.isTaken(port))) return undefined;
  return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
}

/** Taints that only keep new pods away are the scheduler's business. */
function taintRefusal({ spec }: Pod, node: Node): PodRejection | undefined {
  const taints = node.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
  if (taints.every((taint) => toleratesAny(spec?.tolerations, taint))) return undefined;
  return failed('TaintToleration', 'node(s) had untolerated taint(s)');
}

function failed(name: string, why: string): PodRejection {
  return { reason: name, message: `Pod was rejected: Predicate ${name} failed: ${why}` };
}

function resourceRefusal(pod: Pod, node: Node, used: UsedResources): PodRejection | undefined {
  const { allocatable = {} } = node.status ?? {};
  for (const [name, requested] of requestsOf(pod)) {
    if (requested.isZero || isGivenByDevices(pod, node, name)) continue;
    const there = parseQuantity(ownValue(allocatable, name) ?? '0');
    const taken = used.amountOf(name);
    if (taken.add(requested).compare(there) > 0) return outOf(name, { requested, taken, there });
  }
  return undefined;
}

/** The scheduler has allocated devices of a claim instead of something that the node has itself. */
function isGivenByDevices({ status }: Pod, node: Node, resource: string): boolean {
  if (ownValue(node.status?.allocatable ?? {}, resource) !== undefined) return false;
  const { requestMappings = [] } = status?.extendedResourceClaimStatus ?? {};
  return requestMappings.some(({ resourceName }) => resourceName === resource);
}

interface Shortage {
  readonly requested: Quantity;
  readonly taken: Quantity;
  readonly there: Quantity;
}

function outOf(resource: string, { requested, taken, there }: Shortage): PodRejection {
  const count = (amount: Quantity) => (resource === 'cpu' ? amount.milliValue() : amount.value());
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${count(requested)}, used: ${count(taken)}, capacity: ${count(there)}`,
  };
}
