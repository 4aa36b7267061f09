import type { LabelSelector } from '@coracle/apimachinery';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import { type CycleState, stateKey } from '../framework/cycle-state.js';
import {
  type FilterPlugin,
  maxScore,
  type PreFilterPlugin,
  type PreScorePlugin,
  type ScorePlugin,
} from '../framework/plugin.js';
import { fits, unschedulable, unschedulableAndUnresolvable } from '../framework/verdict.js';
import {
  constraintsOf,
  countMatching,
  counts,
  defaultConstraints,
  hasAllKeys,
  isSelected,
  listedConstraints,
  type SpreadConstraint,
  spreadTally,
} from './spread-constraints.js';
import { spreadHints } from './spread-hints.js';

/** Selects the pods of the services and the controller of a pod. Matches nothing if there are none. */
export type DefaultSelector = (pod: PodInfo) => LabelSelector | undefined;

const hostname = 'kubernetes.io/hostname';
const skewed = unschedulable("node(s) didn't match pod topology spread constraints");
const missingLabel = unschedulableAndUnresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

interface HardCount {
  readonly constraint: SpreadConstraint;
  /** Whether the pod matches its own selector. */
  readonly own: 0 | 1;
  /** Domain → number of pods, shared by all attempts. */
  readonly domains: ReadonlyMap<string, number>;
  /** Changes of the counts in this attempt. */
  readonly changes: Map<string, number>;
  /** Minimum number of pods in a domain; computed on first use. */
  fewest: number | undefined;
}

const hardState = stateKey<readonly HardCount[]>('PodTopologySpread/filter', (all) =>
  all.map((one) => ({ ...one, changes: new Map(one.changes) })),
);

interface SoftCount {
  readonly constraint: SpreadConstraint;
  readonly domains: Map<string, number>;
  /** Weight of the constraint: higher for more domains, so that hosts do not dominate zones. */
  readonly weight: number;
  /** Whether the constraint counts a pod. */
  readonly isMatching: (pod: PodInfo) => boolean;
}

interface SoftState {
  readonly counts: readonly SoftCount[];
  readonly ignored: ReadonlySet<NodeInfo>;
}

const softState = stateKey<SoftState>('PodTopologySpread/score');

/** Spreads pods over hosts, zones and other topology domains by their constraints. */
export function podTopologySpread(
  defaultSelector: DefaultSelector,
  args: PluginArguments['PodTopologySpread'] = {},
): PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin {
  const { defaultConstraints: listed = [], defaultingType = 'System' } = args;
  return {
    name: 'PodTopologySpread',
    wakesOn: spreadHints((pod) => constraintsFor(pod, 'DoNotSchedule')),

    preFilter(state, pod) {
      const constraints = constraintsFor(pod, 'DoNotSchedule');
      if (constraints.length === 0) return { kind: 'skip' };
      const all = constraints.map((constraint): HardCount => {
        const { domains } = state.tallies.tally(spreadTally(constraint, pod, constraints));
        const own = constraint.selector.matches(pod.labels) ? 1 : 0;
        return { constraint, own, domains, changes: new Map(), fewest: undefined };
      });
      state.write(hardState, all);
      return { kind: 'ready' };
    },

    addPod: (state, pod, { other, node }) => changeHard(state, pod, { other, node, amount: 1 }),
    removePod: (state, pod, { other, node }) => changeHard(state, pod, { other, node, amount: -1 }),

    filter(state, _pod, node) {
      for (const hard of state.read(hardState) ?? []) {
        const domain = node.labels[hard.constraint.topologyKey];
        if (domain === undefined) return missingLabel;
        hard.fewest ??= fewestOf(hard);
        if (countIn(hard, domain) + hard.own - hard.fewest > hard.constraint.maxSkew) return skewed;
      }
      return fits;
    },

    preScore(state, pod, nodes) {
      const constraints = constraintsFor(pod, 'ScheduleAnyway');
      if (constraints.length === 0) return 'skip';
      const needsAllKeys = isStated(pod) || defaultingType === 'List';
      state.write(softState, countSoft(state, pod, { constraints, nodes, needsAllKeys }));
      return undefined;
    },

    score(state, _pod, node) {
      const soft = state.read(softState);
      if (!soft || soft.ignored.has(node)) return 0;
      let score = 0;
      for (const { constraint, domains, weight, isMatching } of soft.counts) {
        const domain = node.labels[constraint.topologyKey];
        if (domain === undefined) continue;
        const count =
          constraint.topologyKey === hostname
            ? countMatching(node, constraint, isMatching)
            : (domains.get(domain) ?? 0);
        score += count * weight + (constraint.maxSkew - 1);
      }
      return Math.round(score);
    },

    normalize: (scores, { state, nodes }) => normalizeSpread(scores, nodes, state.read(softState)?.ignored),
  };

  /** The pod's own constraints, or the defaults. */
  function constraintsFor(pod: PodInfo, when: 'DoNotSchedule' | 'ScheduleAnyway'): SpreadConstraint[] {
    if (isStated(pod)) return constraintsOf(pod, when);
    if (defaultingType === 'System' && when === 'DoNotSchedule') return [];
    const selector = defaultSelector(pod);
    if (!selector) return [];
    return defaultingType === 'List'
      ? listedConstraints(pod, listed, { selector, when })
      : defaultConstraints(pod.namespace, selector);
  }
}

/**
 * The fewer pods, the higher the score. Allocates no intermediate lists, because it runs for every pod and all
 * remaining nodes.
 */
function normalizeSpread(
  scores: number[],
  nodes: readonly NodeInfo[],
  ignored: SoftState['ignored'] = new Set(),
): void {
  const isIgnored = (index: number) => ignored.size > 0 && ignored.has(nodes[index] as NodeInfo);
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) continue;
    least = Math.min(least, scores[i] as number);
    most = Math.max(most, scores[i] as number);
  }
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) scores[i] = 0;
    else scores[i] = most === 0 ? maxScore : Math.trunc((maxScore * (most + least - (scores[i] as number))) / most);
  }
}

function isStated({ pod }: PodInfo): boolean {
  return (pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
}

function countIn({ domains, changes }: HardCount, domain: string): number {
  return (domains.get(domain) ?? 0) + (changes.size > 0 ? (changes.get(domain) ?? 0) : 0);
}

/** Missing domains count as empty (`minDomains`). */
function fewestOf(hard: HardCount): number {
  if (hard.domains.size < hard.constraint.minDomains) return 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const domain of hard.domains.keys()) fewest = Math.min(fewest, countIn(hard, domain));
  return fewest;
}

function changeHard(
  state: CycleState,
  pod: PodInfo,
  { other, node, amount }: { other: PodInfo; node: NodeInfo; amount: number },
): void {
  const all = state.read(hardState) ?? [];
  if (
    other.namespace !== pod.namespace ||
    !all.every(({ constraint }) => node.labels[constraint.topologyKey] !== undefined)
  )
    return;
  for (const hard of all) {
    const { constraint, changes } = hard;
    if (!constraint.selector.matches(other.labels) || !counts(constraint, pod, node)) continue;
    const domain = node.labels[constraint.topologyKey] as string;
    changes.set(domain, (changes.get(domain) ?? 0) + amount);
    hard.fewest = undefined;
  }
}

interface SoftInput {
  readonly constraints: readonly SpreadConstraint[];
  /** The nodes that passed the filters. */
  readonly nodes: readonly NodeInfo[];
  readonly needsAllKeys: boolean;
}

function countSoft(state: CycleState, pod: PodInfo, { constraints, nodes, needsAllKeys }: SoftInput): SoftState {
  const ignored = new Set(needsAllKeys ? nodes.filter((node) => !hasAllKeys(constraints, node)) : []);
  const considered = nodes.filter((node) => !ignored.has(node));
  const all = constraints.map((constraint): SoftCount => {
    const { topologyKey } = constraint;
    const domains = new Map<string, number>();
    // For the weight, the nodes without the label are one more domain.
    let unlabelled = 0;
    for (const { labels } of topologyKey === hostname ? [] : considered) {
      const domain = labels[topologyKey];
      if (domain === undefined) unlabelled = 1;
      else domains.set(domain, 0);
    }
    const size = topologyKey === hostname ? considered.length : domains.size + unlabelled;
    const isMatching = (other: PodInfo) => isSelected(constraint, other, pod.namespace);
    return { constraint, domains, weight: Math.log(size + 2), isMatching };
  });
  for (const { constraint, domains } of all) {
    if (domains.size === 0) continue;
    const counted = state.tallies.tally(spreadTally(constraint, pod, needsAllKeys ? constraints : [])).domains;
    for (const domain of domains.keys()) domains.set(domain, counted.get(domain) ?? 0);
  }
  return { counts: all, ignored };
}
