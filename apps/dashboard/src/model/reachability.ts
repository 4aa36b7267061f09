import type { Namespace, networkingv1, Pod } from '@coracle/api';
import { type KubeObject, LabelSelector } from '@coracle/apimachinery';
import { type Attempt, isAllowed } from '@coracle/network-policy';

export interface ReachabilityWorld {
  readonly policies: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
}

export interface Verdict {
  readonly allowed: boolean;
  /** Policies that isolate one of both ends, and have no rule that lets the connection through. */
  readonly blockedBy: readonly { readonly namespace: string; readonly name: string }[];
}

/** Whether a pod reaches a port of another, and if not, which policies are in the way. */
export function reachabilityOf(
  { from, to, port, protocol }: { from: KubeObject; to: KubeObject; port: number; protocol: string },
  { policies, pods, namespaces }: ReachabilityWorld,
): Verdict {
  const attempt: Attempt = { from: { pod: from as Pod }, to: { pod: to as Pod }, port, protocol };
  const world = { pods: pods as readonly Pod[], namespaces: namespaces as readonly Namespace[] };
  const all = policies as readonly networkingv1.NetworkPolicy[];
  if (isAllowed(attempt, { ...world, policies: all })) return { allowed: true, blockedBy: [] };
  const blocking = all.filter((policy) => !isAllowed(attempt, { ...world, policies: [policy] }));
  return {
    allowed: false,
    blockedBy: blocking.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })),
  };
}

/** The pods that a policy restricts, and for which directions. */
export function policyScope(
  policy: KubeObject,
  pods: readonly KubeObject[],
): { readonly types: readonly string[]; readonly selected: readonly KubeObject[] } {
  const { spec, metadata } = policy as networkingv1.NetworkPolicy;
  const selector = LabelSelector.fromObject(spec?.podSelector ?? {});
  const selected = pods.filter(
    (pod) => pod.metadata.namespace === metadata.namespace && selector.matches(pod.metadata.labels ?? {}),
  );
  return { types: spec?.policyTypes ?? ['Ingress', ...(spec?.egress ? ['Egress'] : [])], selected };
}

export interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort: string;
}

export function portsOf(service: KubeObject): ServicePort[] {
  const { spec } = service as {
    spec?: { ports?: { name?: string; port: number; protocol?: string; targetPort?: number | string }[] };
  };
  return (spec?.ports ?? []).map(({ name = '', port, protocol = 'TCP', targetPort }) => ({
    name,
    port,
    protocol,
    targetPort: String(targetPort ?? port),
  }));
}

export interface Backend {
  readonly pod: string;
  readonly address: string;
  readonly ready: boolean;
  readonly node: string;
}

/** The pods behind a service, from its endpoint slices. */
export function backendsOf(service: KubeObject, slices: readonly KubeObject[]): Backend[] {
  return slices
    .filter(
      ({ metadata }) =>
        metadata.namespace === service.metadata.namespace &&
        metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name,
    )
    .flatMap((slice) => (slice as { endpoints?: Endpoint[] }).endpoints ?? [])
    .map(({ addresses, conditions, targetRef, nodeName }) => ({
      pod: targetRef?.name ?? '',
      address: addresses[0] ?? '',
      ready: conditions?.ready ?? true,
      node: nodeName ?? '',
    }));
}

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
  readonly targetRef?: { readonly name?: string };
  readonly nodeName?: string;
}
