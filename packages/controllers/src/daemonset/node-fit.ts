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

/** Tolerations of all daemon pods, whatever their template says: they stay on nodes with problems. */
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

/** The tolerations of a template with those of daemons, each of which replaces its equal. */
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
  /** A pod is to be made there, if there is none. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. */
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

/** Where a daemon's pod is, or will be: before it is bound, its affinity names the node. */
export function nodeNameOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const isName = ({ key, operator, values = [] }: NodeSelectorRequirement) =>
    key === nodeNameField && operator === 'In' && values.length === 1;
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(isName)?.values?.[0];
}

/** The spec bound to one node by its affinity; what the template required of nodes has been looked at already. */
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
