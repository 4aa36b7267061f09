import type { Node } from '@coracle/api';
import type { AffinityTerm, PodInfo } from '../cache/pod-info.js';
import type { Plugin } from '../framework/plugin.js';

interface TermMatcher {
  matches(term: AffinityTerm, pod: PodInfo): boolean;
  matchesAll(terms: readonly AffinityTerm[], pod: PodInfo): boolean;
}

/** Which changes may let a pod fit that affinity refused: somebody to be near comes, or somebody to be away from goes. */
export function affinityHints({ matches, matchesAll }: TermMatcher): NonNullable<Plugin['wakesOn']> {
  /** Whether one of the two refuses to be near the other. */
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
    // The pod itself stays away from nobody: those that refuse it do not where their nodes are in another place now.
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
