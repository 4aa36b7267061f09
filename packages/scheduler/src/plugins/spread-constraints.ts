import { type Pod, requiredNodeAffinityMatches, type TopologySpreadConstraint, toleratesAny } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { TallySpec } from '../cache/cluster-tallies.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';

/** A parsed topology spread constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  /** Identifies the counted pods of one namespace: equal for equivalent selectors. */
  readonly selected: string;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** The default constraints of pods without their own: maxSkew 3 over hosts, 5 over zones. */
const defaults = [
  { maxSkew: 3, topologyKey: 'kubernetes.io/hostname' },
  { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone' },
];

export function constraintsOf(
  { pod, namespace }: PodInfo,
  when: 'DoNotSchedule' | 'ScheduleAnyway',
): SpreadConstraint[] {
  const stated = pod.spec?.topologySpreadConstraints ?? [];
  return stated
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => toConstraint(pod, namespace, constraint));
}

export function defaultConstraints(namespace: string, selector: LabelSelector): SpreadConstraint[] {
  const selected = nameOf(namespace, selector);
  return defaults.map(({ maxSkew, topologyKey }) => ({
    maxSkew,
    topologyKey,
    selector,
    selected,
    minDomains: 1,
    honorsAffinity: true,
    honorsTaints: false,
  }));
}

/** The `defaultConstraints` of the configuration, for pods without constraints. */
export function listedConstraints(
  { pod, namespace }: PodInfo,
  listed: readonly TopologySpreadConstraint[],
  selected: { readonly selector: LabelSelector; readonly when: string },
): SpreadConstraint[] {
  return listed
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === selected.when)
    .map((constraint) => ({
      ...toConstraint(pod, namespace, constraint),
      selector: selected.selector,
      selected: nameOf(namespace, selected.selector),
    }));
}

function toConstraint(pod: Pod, namespace: string, constraint: TopologySpreadConstraint): SpreadConstraint {
  const { maxSkew, topologyKey, labelSelector, minDomains = 1, matchLabelKeys = [] } = constraint;
  const labels = pod.metadata.labels ?? {};
  const keyed = matchLabelKeys.flatMap((key) => {
    const value = ownValue(labels, key);
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  // `matchLabelKeys` narrow a selector; without a selector nothing is selected.
  const selector = LabelSelector.fromObject(
    keyed.length === 0 || !labelSelector
      ? labelSelector
      : { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...keyed] },
  );
  return {
    maxSkew,
    topologyKey,
    selector,
    selected: nameOf(namespace, selector),
    minDomains,
    honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
  };
}

/** A selector that matches nothing has the same text as one that matches everything. */
function nameOf(namespace: string, selector: LabelSelector): string {
  return `${namespace} ${selector === LabelSelector.nothing ? '!' : selector}`;
}

/** Whether the pods of a node are counted for a constraint of this pod. */
export function counts(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { pod }: PodInfo,
  { node }: NodeInfo,
): boolean {
  if (honorsAffinity && !requiredNodeAffinityMatches(pod.spec, node)) return false;
  if (!honorsTaints) return true;
  return !node.spec?.taints?.some(
    (taint) => taint.effect !== 'PreferNoSchedule' && !toleratesAny(pod.spec?.tolerations, taint),
  );
}

/** Counts the pods that a constraint of this pod selects, on eligible nodes that have all topology keys. */
export function spreadTally(
  constraint: SpreadConstraint,
  pod: PodInfo,
  needed: readonly SpreadConstraint[],
): TallySpec {
  const { topologyKey, selected, honorsAffinity, honorsTaints } = constraint;
  const { nodeSelector, affinity, tolerations } = pod.pod.spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodes = [
    ...(honorsAffinity && (nodeSelector || required) ? [nodeSelector, required] : []),
    ...(honorsTaints ? ['taints', tolerations] : []),
  ];
  const keys = needed.map((one) => one.topologyKey).join();
  return {
    name: `spread ${topologyKey} ${keys} ${selected} ${nodes.length > 0 ? JSON.stringify(nodes) : ''}`,
    topologyKey,
    countsNode: (node) => hasAllKeys(needed, node) && counts(constraint, pod, node),
    countsPod: (other) => isSelected(constraint, other, pod.namespace),
  };
}

/** Terminating pods do not count, and an empty selector counts no pods. */
export function isSelected({ selector }: SpreadConstraint, pod: PodInfo, namespace: string): boolean {
  return !selector.isEmpty && !pod.isTerminating && pod.namespace === namespace && selector.matches(pod.labels);
}

/** A node that lacks one of the labels is in no domain. */
export function hasAllKeys(constraints: readonly SpreadConstraint[], node: NodeInfo): boolean {
  return constraints.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
}

/** Number of pods on a node that the constraint selects, by `isMatching`. */
export function countMatching(
  node: NodeInfo,
  { selected }: SpreadConstraint,
  isMatching: (pod: PodInfo) => boolean,
): number {
  return node.pods.size === 0 ? 0 : node.tally(selected, isMatching);
}
