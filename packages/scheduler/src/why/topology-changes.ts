import type { Affinity, PodAffinityTerm, TopologySpreadConstraint } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { ClusterTallies } from '../cache/cluster-tallies.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { AffinityTerm, PodInfo } from '../cache/pod-info.js';
import { constraintsOf, type SpreadConstraint, spreadTally } from '../plugins/spread-constraints.js';
import { type Change, type Trial, withNode, without, withSpec } from './trial.js';

/** Changes that would satisfy the affinity of a pod, or the anti-affinity of others. */
export function affinityChanges(trial: Trial): readonly Change[] {
  return [
    ...preferInstead(trial, 'podAffinity'),
    ...preferInstead(trial, 'podAntiAffinity'),
    ...removeRepelling(trial),
  ];
}

/** The weight of a required term when it becomes preferred. */
const highestWeight = 100;

function preferInstead({ pod }: Trial, kind: 'podAffinity' | 'podAntiAffinity'): Change[] {
  const terms = pod.pod.spec?.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return [];
  const what = kind === 'podAffinity' ? 'affinity to' : 'anti-affinity to';
  return [
    {
      text: `prefer the ${what} pods with ${terms.map(describe).join(' and ')} instead of requiring it`,
      cost: 1.5,
      apply: (trial) =>
        withSpec(trial, (spec) => ({ ...spec, affinity: preferring(spec.affinity ?? {}, kind, terms) })),
    },
  ];
}

function preferring(
  affinity: Affinity,
  kind: 'podAffinity' | 'podAntiAffinity',
  terms: readonly PodAffinityTerm[],
): Affinity {
  const { requiredDuringSchedulingIgnoredDuringExecution: _required, ...rest } = affinity[kind] ?? {};
  const preferred = terms.map((podAffinityTerm) => ({ weight: highestWeight, podAffinityTerm }));
  const before = rest.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    ...affinity,
    [kind]: { ...rest, preferredDuringSchedulingIgnoredDuringExecution: [...before, ...preferred] },
  };
}

function describe({ labelSelector, topologyKey }: PodAffinityTerm): string {
  return `${labelSelector ? LabelSelector.fromObject(labelSelector) : 'no labels'} by ${topologyKey}`;
}

/** The pods of the node that have anti-affinity to this one, or to which it has anti-affinity. */
function removeRepelling({ pod, node }: Trial): Change[] {
  const going = [...node.pods.values()].filter(
    (other) =>
      pod.requiredAntiAffinity.some((term) => isAbout(term, other)) ||
      other.requiredAntiAffinity.some((term) => isAbout(term, pod)),
  );
  if (going.length === 0) return [];
  return [
    {
      text: `remove ${going.map(({ key }) => key).join(', ')} from the node ${node.name}`,
      cost: 2 + going.length,
      apply: (trial) => without(trial, going),
    },
  ];
}

/** Namespaces that are selected by labels are left out: suggestions are simulated anyway. */
function isAbout({ namespaces, namespaceSelector, selector }: AffinityTerm, { namespace, labels }: PodInfo): boolean {
  return (namespaces.has(namespace) || namespaceSelector !== undefined) && selector.matches(labels);
}

/** Any value makes a domain. */
const firstDomain = 'a';

/** Changes that would satisfy the spread constraints of a pod. */
export function spreadChanges(trial: Trial, nodes: readonly NodeInfo[]): readonly Change[] {
  const stated = trial.pod.pod.spec?.topologySpreadConstraints ?? [];
  if (!stated.some(isHard)) return [];
  const constraints = constraintsOf(trial.pod, 'DoNotSchedule');
  const tallies = ClusterTallies.of(nodes);
  const countsOf = (constraint: SpreadConstraint) =>
    tallies.tally(spreadTally(constraint, trial.pod, constraints)).domains;
  return [
    {
      text: `let the spread over ${keysOf(constraints)} be uneven (whenUnsatisfiable: ScheduleAnyway)`,
      cost: 1.5,
      apply: (one) => withConstraints(one, (each) => ({ ...each, whenUnsatisfiable: 'ScheduleAnyway' })),
    },
    ...addDomains(trial, constraints, countsOf),
    ...raiseSkew(trial, constraints, countsOf),
  ];
}

type CountsOf = (constraint: SpreadConstraint) => ReadonlyMap<string, number>;

function isHard({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === 'DoNotSchedule';
}

function keysOf(constraints: readonly SpreadConstraint[]): string {
  return constraints.map(({ topologyKey }) => topologyKey).join(', ');
}

function withConstraints(
  trial: Trial,
  change: (constraint: TopologySpreadConstraint) => TopologySpreadConstraint,
): Trial {
  return withSpec(trial, (spec) => ({
    ...spec,
    topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).map((one) => (isHard(one) ? change(one) : one)),
  }));
}

/**
 * A node without the label is in no domain: it could be in the one with the fewest pods, or in the first if there is
 * none.
 */
function addDomains({ node }: Trial, constraints: readonly SpreadConstraint[], countsOf: CountsOf): Change[] {
  const missing = constraints.filter(({ topologyKey }) => node.labels[topologyKey] === undefined);
  if (missing.length === 0) return [];
  const labels = missing.map((constraint) => {
    const [[fewest] = [firstDomain]] = [...countsOf(constraint)].sort(([, a], [, b]) => a - b);
    return [constraint.topologyKey, fewest] as const;
  });
  return [
    {
      text: `add the label ${labels.map(([key, value]) => `${key}=${value}`).join(', ')} to the node ${node.name}`,
      cost: 2,
      apply: (trial) =>
        withNode(trial, (one) => ({
          ...one,
          metadata: { ...one.metadata, labels: { ...one.metadata.labels, ...Object.fromEntries(labels) } },
        })),
    },
  ];
}

/** Increases maxSkew to the smallest value with which the pod fits on the node. */
function raiseSkew({ pod, node }: Trial, constraints: readonly SpreadConstraint[], countsOf: CountsOf): Change[] {
  const raised = new Map<string, number>();
  for (const constraint of constraints) {
    const domains = countsOf(constraint);
    const here = domains.get(node.labels[constraint.topologyKey] ?? '');
    if (here === undefined) return [];
    const own = constraint.selector.matches(pod.labels) ? 1 : 0;
    const fewest = domains.size < constraint.minDomains ? 0 : Math.min(...domains.values());
    const skew = here + own - fewest;
    if (skew > constraint.maxSkew) raised.set(constraint.topologyKey, skew);
  }
  if (raised.size === 0) return [];
  const shown = [...raised].map(([key, skew]) => `${skew} over ${key}`).join(' and ');
  return [
    {
      text: `raise maxSkew to ${shown}`,
      cost: 1,
      apply: (trial) =>
        withConstraints(trial, (one) => ({ ...one, maxSkew: raised.get(one.topologyKey) ?? one.maxSkew })),
    },
  ];
}
