import { isTerminalPod, refs } from '@coracle/api';
import type { Logger } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import type { Needs } from '../schedule-one.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';
import type { Resource } from './resource.js';

/** Dumps the scheduler's cache and queue on request, to the logger of the caller. */
export type DebugRequests = (answer: (logger: Logger) => void) => Disposable;

type SchedulerState = Needs<'cache' | 'queue' | 'nominated'>;

/** Dumps the nodes and pods of the scheduler cache, and compares them with the API. */
export function describeCache(state: SchedulerState, informers: InformerFactory, logger: Logger): void {
  const { cache, queue, nominated } = state;
  const nodes = cache.nodes().map((node) => ({
    ...describeNode(node),
    nominatedPods: nominated.on(node.name).map(describePod),
  }));
  logger.info('Dump of cached NodeInfo', { nodes });
  const backingOff = queue.count('backoff') + queue.count('resting');
  const summary = `activeQ:${queue.count('active')}; backoffQ:${backingOff}; unschedulablePods:${queue.count('unschedulable')}`;
  logger.info('Dump of scheduling queue', { summary, pods: queue.pods().map(describePod) });
  for (const mismatch of compareCache(state, informers)) logger.info('Cache mismatch', mismatch);
}

/** Objects that are missing in the cache (`missed`), and those that only the cache has (`redundant`). */
function compareCache(
  { cache, queue }: Pick<SchedulerState, 'cache' | 'queue'>,
  informers: InformerFactory,
): Readonly<Record<string, readonly string[]>>[] {
  const actualNodes = informers
    .for(refs.nodes)
    .list()
    .map(({ metadata }) => metadata.name ?? '');
  const nodes = compare(
    actualNodes,
    [...cache.nodes()].map(({ name }) => name),
  );
  const actualPods = informers
    .for(refs.pods)
    .list()
    .filter((pod) => !isTerminalPod(pod))
    .map(({ metadata }) => metadata.uid ?? '');
  const cachedPods = cache.nodes().flatMap(({ pods }) => [...pods.keys()]);
  const pods = compare(actualPods, [...cachedPods, ...queue.pods().map(({ uid }) => uid)]);
  return [
    ...(nodes ? [{ missedNodes: nodes.missed, redundantNodes: nodes.redundant }] : []),
    ...(pods ? [{ missedPods: pods.missed, redundantPods: pods.redundant }] : []),
  ];
}

function compare(actual: readonly string[], cached: readonly string[]) {
  const [there, cachedNames] = [new Set(actual), new Set(cached)];
  const missed = [...there].filter((one) => !cachedNames.has(one)).sort();
  const redundant = [...cachedNames].filter((one) => !there.has(one)).sort();
  return missed.length + redundant.length > 0 ? { missed, redundant } : undefined;
}

function describeNode({ name, requested, allocatable, allowedPods, pods }: NodeInfo) {
  return {
    name,
    requested: describeResource(requested),
    allocatable: { ...describeResource(allocatable), allowedPodNumber: allowedPods },
    pods: [...pods.values()].map(describePod),
  };
}

function describeResource({ milliCpu, memory, ephemeralStorage, scalar }: Resource) {
  return { milliCPU: milliCpu, memory, ephemeralStorage, scalarResources: Object.fromEntries(scalar) };
}

function describePod({ pod, uid, namespace }: PodInfo) {
  const { phase, nominatedNodeName } = pod.status ?? {};
  return {
    name: pod.metadata.name,
    namespace,
    uid,
    phase,
    ...(nominatedNodeName && { nominatedNode: nominatedNodeName }),
  };
}
