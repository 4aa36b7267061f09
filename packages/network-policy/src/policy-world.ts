import { isTerminalPhase, type Namespace, type networkingv1, type Pod } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

type NetworkPolicy = networkingv1.NetworkPolicy;

/** The objects that policies depend on. */
export interface PolicyWorld {
  readonly policies: readonly NetworkPolicy[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

export type Direction = 'ingress' | 'egress';
type Peer = NonNullable<NonNullable<NonNullable<NetworkPolicy['spec']>['ingress']>[number]['from']>[number];
type Port = NonNullable<NonNullable<NonNullable<NetworkPolicy['spec']>['ingress']>[number]['ports']>[number];

/** One rule of a policy in one direction. Without peers it applies to all peers, without ports to all ports. */
export interface PolicyRule {
  readonly peers: readonly Peer[];
  readonly ports: readonly Port[];
}

/** Whether a pod has its own addresses: policies do not apply to pods in the host network. */
export function hasOwnAddress({ spec, status }: Pod): boolean {
  if (spec?.hostNetwork || isTerminalPhase(status?.phase)) return false;
  return addressesOfPod({ status } as Pod).length > 0;
}

export function addressesOfPod({ status }: Pod): string[] {
  const all = (status?.podIPs ?? []).map(({ ip }) => ip);
  return all.length > 0 ? all : status?.podIP ? [status.podIP] : [];
}

/** Whether a pod has changed in a way that matters to policies. Most changes are of its status, and do not. */
export function podMatters(pod: Pod, previous: Pod): boolean {
  return (
    pod.spec?.nodeName !== previous.spec?.nodeName ||
    hasOwnAddress(pod) !== hasOwnAddress(previous) ||
    !deepEqual(addressesOfPod(pod), addressesOfPod(previous)) ||
    !deepEqual(pod.metadata.labels, previous.metadata.labels)
  );
}

/** The pods that a policy isolates. */
export function selects({ metadata, spec }: NetworkPolicy, pod: Pod): boolean {
  if (metadata.namespace !== pod.metadata.namespace) return false;
  return LabelSelector.fromObject(spec?.podSelector ?? {}).matches(pod.metadata.labels);
}

/** Whether a policy has a say in a direction: ingress always unless it names its types, egress if it has rules for it. */
export function isAbout({ spec }: NetworkPolicy, direction: Direction): boolean {
  const { policyTypes = [], egress } = spec ?? {};
  if (policyTypes.length > 0) return policyTypes.includes(direction === 'ingress' ? 'Ingress' : 'Egress');
  return direction === 'ingress' || (egress ?? []).length > 0;
}

export function rulesOf({ spec }: NetworkPolicy, direction: Direction): PolicyRule[] {
  if (direction === 'ingress')
    return (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from ?? [], ports: ports ?? [] }));
  return (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to ?? [], ports: ports ?? [] }));
}

/** Whether a peer that is not a block of addresses selects a pod. */
export function isPeer(
  peer: Peer,
  pod: Pod,
  { namespace, world }: { readonly namespace: string; readonly world: PolicyWorld },
): boolean {
  if (peer.ipBlock) return false;
  if (peer.podSelector && !LabelSelector.fromObject(peer.podSelector).matches(pod.metadata.labels)) return false;
  if (!peer.namespaceSelector) return pod.metadata.namespace === namespace;
  const of = world.namespaces.find(({ metadata }) => metadata.name === pod.metadata.namespace);
  return LabelSelector.fromObject(peer.namespaceSelector).matches(of?.metadata.labels);
}

/** The number of a port that a pod has under a name. */
export function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports }) => ports ?? [])
    .find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}
