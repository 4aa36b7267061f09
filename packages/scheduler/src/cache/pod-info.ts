import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@coracle/api';
import { podResources, withActualResources } from '@coracle/api';
import { keyOf, LabelSelector, type ObjectKey } from '@coracle/apimachinery';
import { presumedRequests, type Resource, toResource } from './resource.js';

/** A parsed term of pod affinity. */
export interface AffinityTerm {
  /** Equal for equivalent terms. */
  readonly name: string;
  readonly namespaces: ReadonlySet<string>;
  /** Matches the labels of namespaces; `undefined` if the term has no namespace selector. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

export interface WeightedAffinityTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A pod with precomputed fields for scheduling. Immutable. */
export interface PodInfo {
  readonly pod: Pod;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly requests: Resource;
  readonly presumed: { readonly milliCpu: number; readonly memory: number };
  readonly hostPorts: readonly HostPort[];
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
  readonly isTerminating: boolean;
}

const cache = new WeakMap<Pod, PodInfo>();

/** Versions of a pod that share their spec (with `previous`) share the computed fields. */
export function podInfoOf(pod: Pod, previous?: Pod): PodInfo {
  let info = cache.get(pod);
  if (!info) {
    const before = previous && asksForTheSame(previous, pod) ? cache.get(previous) : undefined;
    info = before ? { ...before, ...identityOf(pod) } : makePodInfo(pod);
    cache.set(pod, info);
  }
  return info;
}

/** Binding changes the spec, but not the requests of the pod. A resize changes the status. */
function asksForTheSame(previous: Pod, pod: Pod): boolean {
  const [before, after] = [previous.spec, pod.spec];
  if (!before || !after) return before === after;
  if (previous.status !== pod.status && (isResizing(previous) || isResizing(pod))) return false;
  if (before === after) return true;
  return (
    before.containers === after.containers &&
    before.initContainers === after.initContainers &&
    before.affinity === after.affinity &&
    before.overhead === after.overhead &&
    before.resources === after.resources &&
    before.priority === after.priority
  );
}

function isResizing(pod: Pod): boolean {
  return pod.spec !== undefined && withActualResources(pod, 'requests') !== pod.spec;
}

function makePodInfo(pod: Pod): PodInfo {
  const spec = withActualResources(pod, 'requests');
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return {
    ...identityOf(pod),
    priority: spec.priority ?? 0,
    requests: toResource(podResources(spec, 'requests')),
    presumed: presumedRequests(spec),
    hostPorts: hostPortsOf(pod),
    requiredAffinity: terms(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: terms(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: weighted(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: weighted(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

function identityOf(pod: Pod): Pick<PodInfo, 'pod' | 'key' | 'uid' | 'namespace' | 'labels' | 'isTerminating'> {
  const { uid = '', namespace = '', labels = {}, deletionTimestamp } = pod.metadata;
  return { pod, key: keyOf(pod), uid, namespace, labels, isTerminating: deletionTimestamp !== undefined };
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => hostPort)
      .map(({ hostPort = 0, hostIP, protocol }) => ({
        ip: hostIP || '0.0.0.0',
        protocol: protocol ?? 'TCP',
        port: hostPort,
      })),
  );
}

function terms(pod: Pod, list: readonly PodAffinityTerm[] = []): AffinityTerm[] {
  return list.map((term) => toTerm(pod, term));
}

function weighted(pod: Pod, list: readonly WeightedPodAffinityTerm[] = []): WeightedAffinityTerm[] {
  return list.map(({ weight, podAffinityTerm }) => ({ weight, term: toTerm(pod, podAffinityTerm) }));
}

/** Without namespaces and without a namespace selector, a term selects pods of the pod's own namespace. */
function toTerm(pod: Pod, term: PodAffinityTerm): AffinityTerm {
  const own = !term.namespaces?.length && term.namespaceSelector === undefined;
  const namespaces = new Set(own ? [pod.metadata.namespace ?? ''] : term.namespaces);
  const namespaceSelector = term.namespaceSelector && LabelSelector.fromObject(term.namespaceSelector);
  const selector = term.labelSelector ? LabelSelector.fromObject(term.labelSelector) : LabelSelector.nothing;
  const { topologyKey } = term;
  const parts = [topologyKey, [...namespaces].sort().join(), selectorName(namespaceSelector), selectorName(selector)];
  return { name: parts.join(' '), namespaces, namespaceSelector, selector, topologyKey };
}

/** A selector that matches nothing has the same text as one that matches everything. */
function selectorName(selector: LabelSelector | undefined): string {
  if (!selector) return '-';
  return selector === LabelSelector.nothing ? '!' : `(${selector})`;
}

/** Whether the term matches `pod`. The caller provides the labels of the namespace. */
export function termMatches(
  term: AffinityTerm,
  pod: PodInfo,
  namespaceLabels: (namespace: string) => Readonly<Record<string, string>>,
): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || (term.namespaceSelector?.matches(namespaceLabels(pod.namespace)) ?? false);
  return inNamespace && term.selector.matches(pod.labels);
}
