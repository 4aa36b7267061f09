import {
  deviceClassPrefix,
  isExtendedResource,
  type Node,
  type Pod,
  requiredNodeAffinityMatches,
  toleratesAny,
} from '@coracle/api';
import { parseQuantity, type Quantity } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { isStaticPod } from './static-pods/pod-origin.js';
import { countOf, hostPortsOf, requestsOf, type UsedResources } from './used-resources.js';

/** Why a pod may not run on this node: the text of its event and, with a prefix, of its status. */
export interface PodRejection {
  readonly reason: string;
  readonly message: string;
  /** Set if the only reason is that other pods use the resource. */
  readonly shortage?: ResourceShortage;
}

/** Missing amount of a resource; CPUs in millicores. */
export interface ResourceShortage {
  readonly resource: string;
  readonly amount: number;
}

type Check = (pod: Pod, node: Node, used: UsedResources) => Iterable<PodRejection>;

/** In this order; the first rejection is reported. */
const checks: readonly Check[] = [
  osLabelRefusal,
  osRefusal,
  groupsPolicyRefusal,
  resourceRefusals,
  affinityRefusal,
  nameRefusal,
  portRefusal,
  taintRefusal,
];

/** Admission of a pod on the node: the view of the scheduler, or of the client that bound the pod, may be outdated. */
export function refusalOf(pod: Pod, node: Node | undefined, used: UsedResources): PodRejection | undefined {
  for (const refusal of refusalsOf(pod, node, used)) return refusal;
  return undefined;
}

/** Every reason to reject the pod. */
export function* refusalsOf(pod: Pod, node: Node | undefined, used: UsedResources): Generator<PodRejection> {
  if (node) for (const check of checks) yield* check(pod, node, used);
}

const osLabel = 'kubernetes.io/os';

function* osLabelRefusal({ spec }: Pod, { metadata }: Node): Generator<PodRejection> {
  const os = spec?.nodeSelector?.[osLabel];
  if (os === undefined || os === metadata.labels?.[osLabel]) return;
  yield {
    reason: 'PodOSSelectorNodeLabelDoesNotMatch',
    message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  };
}

function* osRefusal({ spec }: Pod, { metadata }: Node): Generator<PodRejection> {
  const os = metadata.labels?.[osLabel];
  if (!spec?.os?.name || !os || spec.os.name === os) return;
  yield { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

/** The runtime would add the groups of the image anyway, which the policy must prevent. */
function* groupsPolicyRefusal({ spec }: Pod, { status }: Node): Generator<PodRejection> {
  if (spec?.securityContext?.supplementalGroupsPolicy !== 'Strict' || status?.features?.supplementalGroupsPolicy)
    return;
  yield {
    reason: 'SupplementalGroupsPolicyNotSupported',
    message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
  };
}

function* affinityRefusal({ spec }: Pod, node: Node): Generator<PodRejection> {
  if (requiredNodeAffinityMatches(spec, node)) return;
  yield failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function* nameRefusal({ spec }: Pod, { metadata }: Node): Generator<PodRejection> {
  if (!spec?.nodeName || spec.nodeName === metadata.name) return;
  yield failed('NodeName', "node(s) didn't match the requested node name");
}

function* portRefusal(pod: Pod, _node: Node, used: UsedResources): Generator<PodRejection> {
  if (!hostPortsOf(pod).some((port) => used.isTaken(port))) return;
  yield failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
}

/** The kubelet does not check NoSchedule taints. A static pod can only run here. */
function* taintRefusal(pod: Pod, node: Node): Generator<PodRejection> {
  if (isStaticPod(pod)) return;
  const { spec } = pod;
  const taints = node.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
  if (taints.every((taint) => toleratesAny(spec?.tolerations, taint))) return;
  yield failed('TaintToleration', 'node(s) had untolerated taint(s)');
}

function failed(name: string, why: string): PodRejection {
  return { reason: name, message: `Predicate ${name} failed: ${why}` };
}

function* resourceRefusals(pod: Pod, node: Node, used: UsedResources): Generator<PodRejection> {
  const { allocatable = {} } = node.status ?? {};
  for (const [name, requested] of requestsOf(pod)) {
    if (requested.isZero || isNotOfNode(name, node)) continue;
    const there = parseQuantity(ownValue(allocatable, name) ?? '0');
    const taken = used.amountOf(name);
    if (taken.add(requested).compare(there) > 0) yield outOf(name, { requested, taken, there });
  }
}

/** An extended resource that the node does not have belongs to the cluster, or to the devices of a claim. */
function isNotOfNode(resource: string, { status }: Node): boolean {
  if (ownValue(status?.allocatable ?? {}, resource) !== undefined) return false;
  return isExtendedResource(resource) || resource.startsWith(deviceClassPrefix);
}

interface Amounts {
  readonly requested: Quantity;
  readonly taken: Quantity;
  readonly there: Quantity;
}

function outOf(resource: string, amounts: Amounts): PodRejection {
  const count = (amount: Quantity) => countOf(resource, amount);
  const [requested, taken, there] = [count(amounts.requested), count(amounts.taken), count(amounts.there)];
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${taken}, capacity: ${there}`,
    shortage: { resource, amount: requested + taken - there },
  };
}
