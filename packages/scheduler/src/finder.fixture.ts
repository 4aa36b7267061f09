import { type Node, type Pod, refs } from '@coracle/api';
import { messageOf, noMetrics, noTracer, seededRandom, silentLogger } from '@coracle/base';
import { createInformers, type InformerFactory } from '@coracle/client';
import type { Cluster } from '@coracle/cluster';
import { WaitingPods } from './binding-cycle.js';
import type { NodeInfo } from './cache/node-info.js';
import { podInfoOf } from './cache/pod-info.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import { followCluster } from './event-handlers.js';
import { PodGroups } from './groups/pod-groups.js';
import { defaultBinder } from './plugins/default-binder.js';
import { createDefaultSelector } from './plugins/default-selector.js';
import { followNamespaceLabels } from './plugins/namespace-labels.js';
import { defaultPreemption } from './preemption/default-preemption.js';
import { NominatedPods } from './preemption/nominated-pods.js';
import { selectVictims } from './preemption/select-victims.js';
import { profilesOf } from './profiles.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import type { SchedulerProfile } from './schedule-one.js';
import { SchedulerMetrics } from './scheduler-metrics.js';
import { type CycleInput, filterNodes, type OpenCycle, openCycle, scoreIfNeeded } from './scheduling-cycle.js';

/** The parts of a scheduler that look for nodes, without the loop that takes pods from a queue. */
export interface Finder extends AsyncDisposable {
  readonly informers: InformerFactory;
  readonly cache: SchedulerCache;
  readonly nominated: NominatedPods;
  readonly profiles: ReadonlyMap<string, SchedulerProfile>;
}

/** Schedulers with different scoring. */
export const schedulerNames = ['spreader', 'packer'] as const;

/** `follows`: whether its cache is updated with the cluster. */
export async function createFinder(cluster: Cluster, { follows }: { readonly follows: boolean }): Promise<Finder> {
  const { client, clock } = cluster;
  const shared = { client, clock, random: seededRandom(1), logger: silentLogger };
  const informers = createInformers(shared);
  const cache = new SchedulerCache({ clock, assumedTtlMs: 0 });
  const nominated = new NominatedPods();
  const waiting = new WaitingPods(clock);
  const profiles = profilesFor({ ...shared, informers, cache, nominated, waiting });
  const queue = new SchedulingQueue({ clock, compare: () => 0, mayHelp: () => false, gate: () => undefined });
  const parts = { cache, queue, nominated, waiting, profiles };
  if (follows) followCluster(informers, { ...parts, metrics: new SchedulerMetrics(noMetrics), tracer: noTracer });
  informers.for(refs.nodes);
  informers.for(refs.pods);
  informers.start();
  await informers.synced();
  return { informers, cache, nominated, profiles, [Symbol.asyncDispose]: () => informers[Symbol.asyncDispose]() };
}

type ProfileParts = Pick<Cluster, 'client' | 'clock'> &
  Pick<Finder, 'informers' | 'cache' | 'nominated'> & {
    readonly random: ReturnType<typeof seededRandom>;
    readonly logger: typeof silentLogger;
    readonly waiting: WaitingPods;
  };

function profilesFor({ cache, nominated, ...shared }: ProfileParts): ReadonlyMap<string, SchedulerProfile> {
  const { informers, client } = shared;
  const groups = new PodGroups({ informers, wake: () => {}, nodeOf: (uid) => cache.nodeOf(uid) });
  const packing = [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }];
  const common = { ...shared, nominated, groups, extenders: [], budgets: () => [] };
  return profilesOf(
    { profiles: [{ schedulerName: 'spreader' }, { schedulerName: 'packer', pluginConfig: packing }] },
    {
      extraPlugins: [],
      recorderFor: () => ({ event: () => {} }),
      handle: (profile) => ({
        ...shared,
        groups,
        binder: defaultBinder(client),
        recorder: () => profile().recorder,
        taintRules: () => [],
        preemption: (args) => defaultPreemption({ ...common, profile, args }),
        namespaceLabels: followNamespaceLabels(informers),
        defaultSelector: createDefaultSelector(informers),
      }),
    },
  );
}

/** A scheduler without cached results: all objects are copies. */
export async function freshFinder(cluster: Cluster, other: Finder): Promise<Finder> {
  const finder = await createFinder(cluster, { follows: false });
  const { informers, cache, nominated } = finder;
  for (const node of informers.for(refs.nodes).list()) cache.setNode(structuredClone(node) as Node);
  for (const pod of informers.for(refs.pods).list()) {
    const copy = structuredClone(pod) as Pod;
    const { uid = '' } = copy.metadata;
    const isOver = copy.status?.phase === 'Succeeded' || copy.status?.phase === 'Failed';
    if (copy.spec?.nodeName) {
      if (!isOver) cache.setPod(copy);
      continue;
    }
    nominated.add(podInfoOf(copy), other.nominated.nodeOf(uid) ?? '');
    if (other.cache.isAssumed(uid)) cache.assume(podInfoOf(copy), other.cache.nodeOf(uid) ?? '');
  }
  return finder;
}

/**
 * By node: the total score for the pod, or the reason why it does not fit and whether preemption would help. For all
 * of them the error of a plugin, which ends the attempt.
 */
export function answersFor(pod: Pod, finder: Finder): Readonly<Record<string, unknown>> {
  try {
    return answersByNode(pod, finder);
  } catch (error) {
    return { all: messageOf(error) };
  }
}

function answersByNode(pod: Pod, { cache, nominated, profiles }: Finder): Readonly<Record<string, unknown>> {
  const info = podInfoOf(pod);
  const profile = profiles.get(pod.spec?.schedulerName ?? '');
  if (!profile) throw new Error(`there is no profile ${pod.spec?.schedulerName}`);
  const nodes = cache.nodes();
  const input: CycleInput = {
    ...{ profile, nodes, startAt: 0, tallies: cache.tallies },
    nominated: (node) => nominated.on(node),
    nominatedNodes: new Set([...nominated.nodes].flatMap((name) => cache.node(name) ?? [])),
  };
  const cycle = openCycle(info, input);
  if (cycle.kind === 'unplaced') return { all: cycle.failure.preFilterReason };
  const found = filterNodes(cycle);
  const totals = scoreIfNeeded(cycle, found);
  return Object.fromEntries([
    ...found.feasible.map(({ name }, index) => [name, totals[index] ?? 'fits']),
    ...[...found.failures].map(([name, refusal]) => [name, [refusal, preemption(cycle, cache.node(name))]]),
  ]);
}

/** The choice of victims depends on the order of equivalent pods. */
function preemption({ input, state, pod }: OpenCycle, node: NodeInfo | undefined): unknown {
  if (!node) return undefined;
  const search = { state, pod: { ...pod, priority: 2000 }, node, profile: input.profile, budgets: [] };
  const found = selectVictims({ ...search, ...(input.nominated && { nominated: input.nominated }) });
  return 'pods' in found ? 'helps' : found;
}
