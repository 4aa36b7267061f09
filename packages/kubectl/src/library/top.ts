import { type NodeUsage, nodeUsage, type PodUsage, podUsage, type Usage } from '../commands/top/metrics.js';
import type { Session } from './session.js';

export type { NodeUsage, PodUsage, Usage };

export interface TopNodesOptions {
  /** The only node. */
  readonly name?: string;
  readonly selector?: string;
}

/** Usage and capacity of nodes. */
export function topNodes(session: Session, options: TopNodesOptions = {}): Promise<NodeUsage[]> {
  return nodeUsage(session.context.factory, options);
}

export interface TopPodsOptions extends TopNodesOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly fieldSelector?: string;
}

/** Usage of pods and their containers. */
export function topPods(session: Session, options: TopPodsOptions = {}): Promise<PodUsage[]> {
  const { namespace = session.namespace, allNamespaces = false, ...query } = options;
  return podUsage(session.context.factory, { ...query, namespace: allNamespaces ? '' : namespace });
}
