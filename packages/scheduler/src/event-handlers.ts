import { isTerminalPod, type Node, type Pod, refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { InformerEvent, InformerFactory } from '@coracle/client';
import { type PodInfo, podInfoOf } from './cache/pod-info.js';
import { claimChangeIsAbout } from './plugins/devices/claim-changes.js';
import { deviceResources } from './plugins/devices/dynamic-resources.js';
import { volumeResources } from './plugins/volumes/volume-listers.js';
import type { NominatedPods } from './preemption/nominated-pods.js';
import type { Needs } from './schedule-one.js';

type FollowerParts = Needs<'metrics' | 'cache' | 'queue' | 'nominated' | 'waiting' | 'profiles' | 'tracer'>;

/** Updates cache and queue with the events of informers, until the result is disposed. */
export function followCluster(informers: InformerFactory, parts: FollowerParts): Disposable {
  const handlers = [
    informers.for(refs.nodes).addHandler((event) => counted(parts, () => onNode(event, parts))),
    informers.for(refs.pods).addHandler((event) => counted(parts, () => onPod(event, parts))),
    ...[...volumeResources, ...deviceResources].map((ref) =>
      informers.for<KubeObject>(ref).addHandler((change) => onOther(ref.resource, change, parts)),
    ),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const handler of handlers) handler[Symbol.dispose]();
    },
  };
}

function onOther(resource: string, change: InformerEvent<KubeObject>, { queue }: Needs<'queue'>): void {
  const about = resource === refs.resourceClaims.resource ? claimChangeIsAbout(change) : undefined;
  queue.onEvent({ kind: 'other', resource, change, ...(about && { about }) });
}

/** Updates the metrics after every change of the cache. */
function counted({ cache, metrics }: FollowerParts, act: () => void): void {
  act();
  metrics.cached(cache.sizes);
}

function onNode(event: InformerEvent<Node>, { cache, queue }: Needs<'cache' | 'queue'>): void {
  if (event.type === 'deleted') {
    cache.removeNode(event.object.metadata.name ?? '');
    queue.onEvent({ kind: 'node-deleted', node: event.object });
    return;
  }
  cache.setNode(event.object);
  if (event.type === 'added') queue.onEvent({ kind: 'node-added', node: event.object });
  else if (matters(event.object, event.previous))
    queue.onEvent({ kind: 'node-updated', node: event.object, previous: event.previous });
}

/** Heartbeats update nodes frequently; the fields that scheduling uses rarely change. */
function matters(node: Node, previous: Node): boolean {
  return (
    !deepEqual(node.spec, previous.spec) ||
    !deepEqual(node.metadata.labels, previous.metadata.labels) ||
    !deepEqual(node.status?.allocatable, previous.status?.allocatable) ||
    !deepEqual(node.status?.images, previous.status?.images) ||
    !deepEqual(node.status?.declaredFeatures, previous.status?.declaredFeatures) ||
    !deepEqual(readiness(node), readiness(previous))
  );
}

function readiness({ status }: Node): unknown {
  return status?.conditions?.map(({ type, status: value }) => [type, value]);
}

function onPod(event: InformerEvent<Pod>, parts: FollowerParts): void {
  const { object } = event;
  const finished = isTerminalPod(object);
  if (object.spec?.nodeName) {
    if (event.type === 'deleted' || finished) onGone(object, parts);
    else onPlaced(event, parts);
    return;
  }
  if (!parts.profiles.has(object.spec?.schedulerName ?? '')) return;
  if (event.type === 'deleted' || finished) {
    parts.queue.remove(object.metadata.uid ?? '');
    parts.nominated.remove(object.metadata.uid ?? '');
    parts.waiting.reject(object.metadata.uid ?? '', 'pod deleted');
    // An assumed pod that is deleted before it is bound was never added.
    parts.cache.forget(object.metadata.uid ?? '');
    return;
  }
  onPending(event, parts);
}

function onPending(
  event: Exclude<InformerEvent<Pod>, { type: 'deleted' }>,
  { queue, cache, nominated, tracer }: Needs<'queue' | 'cache' | 'nominated' | 'tracer'>,
): void {
  const info = podInfoOf(event.object, event.type === 'updated' ? event.previous : undefined);
  // Assumed: the watch has not delivered the binding yet.
  if (cache.isAssumed(info.uid)) return;
  followNomination(event, info, nominated);
  if (event.type === 'added') {
    tracer.step('scheduler.queue', `pods/${info.key}`);
    queue.add(info);
  } else if (isStatusOnly(event.object, event.previous)) queue.refresh(info);
  else queue.update(info);
}

/** Other components set and clear nominated nodes too. If unchanged, the scheduler's own nomination applies. */
function followNomination(
  event: Exclude<InformerEvent<Pod>, { type: 'deleted' }>,
  info: PodInfo,
  nominated: NominatedPods,
): void {
  const node = event.object.status?.nominatedNodeName ?? '';
  const previous = event.type === 'updated' ? (event.previous.status?.nominatedNodeName ?? '') : '';
  if (node !== previous || (node && nominated.nodeOf(info.uid) === undefined)) nominated.add(info, node);
  else nominated.refresh(info);
}

/**
 * A new status, which we may have written ourselves, lets no pod fit, unless it names claims that were made for the pod.
 * Neither does the mark for deletion.
 */
function isStatusOnly(pod: Pod, previous: Pod): boolean {
  if (!deepEqual(pod.status?.resourceClaimStatuses, previous.status?.resourceClaimStatuses)) return false;
  return deepEqual(pod.spec, previous.spec) && deepEqual(pod.metadata, { ...previous.metadata, ...ownFields(pod) });
}

function ownFields({ metadata }: Pod): object {
  const { resourceVersion, managedFields, generation, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return {
    resourceVersion,
    ...(managedFields && { managedFields }),
    ...(generation !== undefined && { generation }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp, deletionGracePeriodSeconds }),
  };
}

function onPlaced(
  event: InformerEvent<Pod>,
  { cache, queue, nominated }: Needs<'cache' | 'queue' | 'nominated'>,
): void {
  const pod = podInfoOf(event.object, event.type === 'updated' ? event.previous : undefined);
  const previous = event.type === 'updated' ? podInfoOf(event.previous) : undefined;
  const isNew = event.type === 'added' || (event.type === 'updated' && !event.previous.spec?.nodeName);
  queue.remove(pod.uid);
  nominated.remove(pod.uid);
  cache.setPod(event.object);
  if (isNew) queue.onEvent({ kind: 'pod-added', pod });
  else if (
    previous &&
    (pod.requests !== previous.requests ||
      !deepEqual(pod.labels, previous.labels) ||
      !deepEqual(pod.pod.spec, previous.pod.spec))
  )
    queue.onEvent({ kind: 'pod-updated', pod, previous });
}

/** The binding may not have been seen: after a gap of the watch, binding and end arrive as one change. */
function onGone(pod: Pod, { cache, queue, nominated }: Needs<'cache' | 'queue' | 'nominated'>): void {
  const { uid = '' } = pod.metadata;
  queue.remove(uid);
  nominated.remove(uid);
  cache.removePod(uid);
  queue.onEvent({ kind: 'pod-deleted', pod: podInfoOf(pod) });
}
