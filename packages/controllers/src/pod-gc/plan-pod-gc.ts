import { isTerminalPod, type Node, type Pod } from '@coracle/api';
import { isConditionTrue, parseTime } from '@coracle/apimachinery';

export interface PodGcView {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Nodes that have been missing for the quarantine time. */
  readonly vanishedNodes: ReadonlySet<string>;
  /** Maximum number of terminated pods that are kept. */
  readonly terminatedThreshold: number;
}

export interface PodToCollect {
  readonly pod: Pod;
  readonly why: 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';
}

export interface PodGcPlan {
  /** Each pod once. */
  readonly collect: readonly PodToCollect[];
  /** Nodes that pods are bound to and that do not exist. */
  readonly missingNodes: readonly string[];
}

const outOfService = 'node.kubernetes.io/out-of-service';

/** The pods to delete, which no other component would delete. */
export function planPodGc({ pods, nodes, vanishedNodes, terminatedThreshold }: PodGcView): PodGcPlan {
  const byName = new Map(nodes.map((node) => [node.metadata.name ?? '', node]));
  const plans = new Map<Pod, PodToCollect>();
  const collect = (why: PodToCollect['why'], chosen: readonly Pod[]) => {
    for (const pod of chosen) if (!plans.has(pod)) plans.set(pod, { pod, why });
  };
  collect('terminated', surplus(pods.filter(isTerminalPod), terminatedThreshold));
  collect(
    'out-of-service',
    pods.filter((pod) => isGoing(pod) && isOutOfService(byName.get(pod.spec?.nodeName ?? ''))),
  );
  const bound = pods.filter(({ spec }) => spec?.nodeName && !byName.has(spec.nodeName));
  collect(
    'orphaned',
    bound.filter(({ spec }) => vanishedNodes.has(spec?.nodeName ?? '')),
  );
  collect(
    'unscheduled',
    pods.filter((pod) => isGoing(pod) && !pod.spec?.nodeName),
  );
  const missingNodes = [...new Set(bound.map(({ spec }) => spec?.nodeName ?? ''))];
  return { collect: [...plans.values()], missingNodes };
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** It has the out-of-service taint and is not ready. */
function isOutOfService(node: Node | undefined): boolean {
  if (!node || isConditionTrue(node.status?.conditions, 'Ready')) return false;
  return node.spec?.taints?.some(({ key }) => key === outOfService) ?? false;
}

/** Those that were evicted first, and then the oldest. */
function surplus(ended: readonly Pod[], threshold: number): Pod[] {
  if (threshold <= 0 || ended.length <= threshold) return [];
  const rank = ({ status }: Pod) => (status?.reason === 'Evicted' ? 0 : 1);
  const made = ({ metadata }: Pod) => parseTime(metadata.creationTimestamp ?? '') ?? 0;
  const inOrder = [...ended].sort(
    (a, b) => rank(a) - rank(b) || made(a) - made(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  );
  return inOrder.slice(0, ended.length - threshold);
}
