import type { Verdict } from './framework/verdict.js';

/** Why a pod fits on no node: the result for each node, or for the pod before any node was evaluated. */
export interface FitFailure {
  readonly nodeCount: number;
  /** Node → the result of the plugin that rejected it. */
  readonly failures: ReadonlyMap<string, Verdict>;
  /** The result of a plugin that rejected the pod before nodes were evaluated. */
  readonly preFilterReason?: string;
  readonly refusedBy: ReadonlySet<string>;
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` */
export function describeFailure({ nodeCount, failures, preFilterReason }: FitFailure, postFilterMessage = ''): string {
  const head = `0/${nodeCount} nodes are available:`;
  const body = preFilterReason ?? countReasons(failures).join(', ');
  const sentence = body === '' ? head.slice(0, -1) : `${head} ${body}`;
  return postFilterMessage === '' ? `${sentence}.` : `${sentence}. ${postFilterMessage}`;
}

/** Each reason with the number of nodes, sorted as text. */
function countReasons(failures: ReadonlyMap<string, Verdict>): string[] {
  const counts = new Map<string, number>();
  for (const verdict of failures.values()) {
    if (verdict.kind === 'fits') continue;
    for (const reason of verdict.reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}
