import {
  type DaemonSet,
  type Node,
  type NodeSelectorRequirement,
  type Pod,
  type PodSpec,
  requiredNodeAffinityMatches,
  type Taint,
  type Toleration,
  toleratesAny,
} from '@coracle/api';

const nodeNameField = 'metadata.name';

/** Tolerations of all daemon pods, so that they stay on nodes with problems. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const hostNetworkToleration: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The tolerations of a template with those of daemons, which replace equal ones. */
export function tolerationsFor(spec: PodSpec | undefined): Toleration[] {
  const added = spec?.hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  const isReplaced = (one: Toleration) =>
    added.some(
      ({ key, operator, effect }) =>
        key === one.key && effect === one.effect && operator === one.operator && !one.value && !one.tolerationSeconds,
    );
  return [...(spec?.tolerations ?? []).filter((one) => !isReplaced(one)), ...added];
}

export interface NodeFit {
  /** Whether a pod should be created on the node, if there is none. */
  readonly shouldRun: boolean;
  /** Whether an existing pod may stay. */
  readonly mayStay: boolean;
}

const unfit: NodeFit = { shouldRun: false, mayStay: false };

/** Whether the scheduler would place a daemon's pod on this node: only name, affinity and taints are evaluated. */
export function nodeFit({ spec }: DaemonSet, node: Node): NodeFit {
  const pod = spec?.template?.spec;
  if (pod?.nodeName && pod.nodeName !== node.metadata.name) return unfit;
  if (!requiredNodeAffinityMatches(pod, node)) return unfit;
  const tolerations = tolerationsFor(pod);
  const repels = ({ spec: { taints = [] } = {} }: Node, effects: readonly string[]) =>
    taints.some((taint: Taint) => effects.includes(taint.effect) && !toleratesAny(tolerations, taint));
  return { shouldRun: !repels(node, ['NoSchedule', 'NoExecute']), mayStay: !repels(node, ['NoExecute']) };
}

/** The node of a daemon pod: before it is bound, its affinity names the node. */
export function nodeNameOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const isName = ({ key, operator, values = [] }: NodeSelectorRequirement) =>
    key === nodeNameField && operator === 'In' && values.length === 1;
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(isName)?.values?.[0];
}

/** The spec with an affinity for one node; the node affinity of the template has been evaluated already. */
export function pinnedToNode(spec: PodSpec | undefined, nodeName: string): PodSpec {
  const matchFields = [{ key: nodeNameField, operator: 'In', values: [nodeName] }];
  return {
    ...spec,
    affinity: {
      ...spec?.affinity,
      nodeAffinity: {
        ...spec?.affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
      },
    },
  } as PodSpec;
}
