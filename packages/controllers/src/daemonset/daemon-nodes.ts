import { type DaemonSet, isTerminalPod, type Node, type Pod, templateGenerationAnnotation } from '@coracle/api';
import type { Millis } from '@coracle/base';
import { isAvailable } from '../pod-state.js';
import { revisionLabel } from '../revisions/revision-history.js';
import { type NodeFit, nodeFit, nodeNameOf } from './node-fit.js';

/** A node, and its daemon pods. */
export interface DaemonNode {
  readonly name: string;
  readonly fit: NodeFit;
  /** The pod that is counted first: bound before unbound, then the oldest. */
  readonly pods: readonly Pod[];
}

export interface DaemonView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly DaemonNode[];
  /** Pods whose node does not exist. */
  readonly stranded: readonly Pod[];
  /** Pods of the current template. */
  readonly hash: string;
  readonly now: Millis;
}

export interface DaemonFacts {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly hash: string;
  readonly now: Millis;
}

export function viewDaemon({ daemonSet, nodes, pods, hash, now }: DaemonFacts): DaemonView {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeNameOf(pod);
    if (node === undefined || isGone(pod)) continue;
    const there = byNode.get(node);
    if (there) there.push(pod);
    else byNode.set(node, [pod]);
  }
  const existingNodes = nodes.map((node) => {
    const name = node.metadata.name ?? '';
    return { name, fit: nodeFit(daemonSet, node), pods: (byNode.get(name) ?? []).sort(byPrecedence) };
  });
  const names = new Set(existingNodes.map(({ name }) => name));
  const stranded = pods.filter((pod) => !pod.spec?.nodeName && !names.has(nodeNameOf(pod) ?? ''));
  return { daemonSet, nodes: existingNodes, stranded: stranded.filter(isKept), hash, now };
}

/** Terminated and deleted: it only waits for its finalizers. */
function isGone(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && isTerminalPod(pod);
}

export function isKept({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

function byPrecedence(a: Pod, b: Pod): number {
  const bound = Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName));
  if (bound !== 0) return bound;
  return (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1;
}

export const generationLabel = 'pod-template-generation';

/** The template generation, which increases with each change. */
export function generationOf({ metadata }: DaemonSet): string | undefined {
  return metadata.annotations?.[templateGenerationAnnotation];
}

/**
 * Whether a pod has the current template: by the hash of its revision or, if revisions were deleted, by the template
 * generation.
 */
export function isCurrent({ metadata }: Pod, { daemonSet, hash }: DaemonView): boolean {
  const { labels = {} } = metadata;
  const generation = generationOf(daemonSet);
  return labels[revisionLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}

export function isAvailableDaemon(pod: Pod, { daemonSet, now }: DaemonView): boolean {
  return isAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now);
}
