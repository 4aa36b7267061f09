import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import { type PodInfo, podInfoOf } from '../cache/pod-info.js';

/** A pod and a node as they would be. */
export interface Trial {
  readonly pod: PodInfo;
  readonly node: NodeInfo;
}

export interface Change {
  /** What the user would have to do. */
  readonly text: string;
  /** The cost of the change: changes of the pod alone cost least. */
  readonly cost: number;
  apply(trial: Trial): Trial;
}

/** With another spec of the pod. */
export function withSpec(
  { pod, node }: Trial,
  change: (spec: NonNullable<Pod['spec']>) => NonNullable<Pod['spec']>,
): Trial {
  const { spec } = pod.pod;
  return { pod: podInfoOf({ ...pod.pod, spec: change(spec ?? { containers: [] }) }), node };
}

/** With another node object. */
export function withNode({ pod, node }: Trial, change: (node: NodeInfo['node']) => NodeInfo['node']): Trial {
  const copy = node.clone();
  copy.setNode(change(copy.node));
  return { pod, node: copy };
}

/** With these pods gone from the node. */
export function without({ pod, node }: Trial, going: readonly PodInfo[]): Trial {
  const copy = node.clone();
  for (const { uid } of going) copy.removePod(uid);
  return { pod, node: copy };
}
