import type { Node } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { PodInfo } from '../cache/pod-info.js';
import type { Plugin } from '../framework/plugin.js';
import type { SpreadConstraint } from './spread-constraints.js';

/** Queueing hints for a pod that topology spreading rejected: changes of the counted pods, and of domains. */
export function spreadHints(
  constraintsFor: (pod: PodInfo) => readonly SpreadConstraint[],
): NonNullable<Plugin['wakesOn']> {
  const isCounted = (pod: PodInfo, other: PodInfo) =>
    other.namespace === pod.namespace && constraintsFor(pod).some(({ selector }) => selector.matches(other.labels));
  const isInDomains = (pod: PodInfo, node: Node) =>
    constraintsFor(pod).every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined);
  return [
    { event: 'pod-added', helps: (event, pod) => event.kind === 'pod-added' && isCounted(pod, event.pod) },
    { event: 'pod-deleted', helps: (event, pod) => event.kind === 'pod-deleted' && isCounted(pod, event.pod) },
    {
      event: 'pod-updated',
      helps: (event, pod) =>
        event.kind === 'pod-updated' &&
        (isCounted(pod, event.pod) !== isCounted(pod, event.previous) ||
          (isCounted(pod, event.pod) && event.pod.isTerminating !== event.previous.isTerminating)),
    },
    { event: 'node-added', helps: (event, pod) => event.kind === 'node-added' && isInDomains(pod, event.node) },
    { event: 'node-deleted', helps: (event, pod) => event.kind === 'node-deleted' && isInDomains(pod, event.node) },
    {
      event: 'node-updated',
      helps: (event, pod) =>
        event.kind === 'node-updated' &&
        (isInDomains(pod, event.node) || isInDomains(pod, event.previous)) &&
        (!deepEqual(event.node.metadata.labels, event.previous.metadata.labels) ||
          !deepEqual(event.node.spec?.taints, event.previous.spec?.taints)),
    },
  ];
}
