import type { Node } from '@coracle/api';
import type { AffinityTerm, PodInfo } from '../cache/pod-info.js';
import type { Plugin } from '../framework/plugin.js';

interface TermMatcher {
  matches(term: AffinityTerm, pod: PodInfo): boolean;
  matchesAll(terms: readonly AffinityTerm[], pod: PodInfo): boolean;
}

/**
 * The queueing hints for a pod that inter-pod affinity refused: a pod that affinity matches is added, or one that
 * anti-affinity matches is deleted.
 */
export function affinityHints({ matches, matchesAll }: TermMatcher): NonNullable<Plugin['wakesOn']> {
  /** Whether one of the two has anti-affinity to the other. */
  const repel = (pod: PodInfo, other: PodInfo) =>
    pod.requiredAntiAffinity.some((term) => matches(term, other)) ||
    other.requiredAntiAffinity.some((term) => matches(term, pod));
  return [
    {
      event: 'pod-added',
      helps: (event, pod) => event.kind === 'pod-added' && matchesAll(pod.requiredAffinity, event.pod),
    },
    {
      event: 'pod-deleted',
      helps: (event, pod) => event.kind === 'pod-deleted' && repel(pod, event.pod),
    },
    {
      event: 'pod-updated',
      helps: (event, pod) =>
        event.kind === 'pod-updated' &&
        ((matchesAll(pod.requiredAffinity, event.pod) && !matchesAll(pod.requiredAffinity, event.previous)) ||
          (repel(pod, event.previous) && !repel(pod, event.pod))),
    },
    {
      event: 'node-added',
      helps: (event, { requiredAffinity }) =>
        event.kind === 'node-added' && requiredAffinity.every(({ topologyKey }) => hasLabel(event.node, topologyKey)),
    },
    {
      event: 'node-updated',
      helps: (event, pod) =>
        event.kind === 'node-updated' &&
        [...pod.requiredAffinity, ...pod.requiredAntiAffinity].some(({ topologyKey }) =>
          differ(event.node, event.previous, topologyKey),
        ),
    },
    // The pod itself has no anti-affinity: pods that repel it no longer do when their nodes change topology.
    {
      event: 'node-updated',
      helps: (event, { requiredAffinity, requiredAntiAffinity }) =>
        requiredAffinity.length + requiredAntiAffinity.length === 0 &&
        event.kind === 'node-updated' &&
        Object.keys({ ...event.node.metadata.labels, ...event.previous.metadata.labels }).some((key) =>
          differ(event.node, event.previous, key),
        ),
    },
  ];
}

function hasLabel({ metadata }: Node, key: string): boolean {
  return metadata.labels?.[key] !== undefined;
}

function differ(node: Node, previous: Node, key: string): boolean {
  return node.metadata.labels?.[key] !== previous.metadata.labels?.[key];
}
