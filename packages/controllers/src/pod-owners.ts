import { type Pod, refs } from '@coracle/api';
import {
  controllerOf,
  type KubeObject,
  keyOf,
  LabelSelector,
  type ObjectKey,
  type ResourceRef,
} from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import type { ControllerContext, KeyQueue } from './controller.js';
import type { Expectations } from './expectations.js';
import { claim } from './owner-claims.js';
import { claimable } from './owner-index.js';

/** A kind whose objects own pods, and its selector of pods. */
export interface PodOwnerKind<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly apiVersion: string;
  readonly kind: string;
  selectorOf(object: T): LabelSelector;
}

/** The selector of a workload. An empty one would select the whole namespace, so it selects nothing. */
export function ownerSelector(selector: Parameters<typeof LabelSelector.fromObject>[0]): LabelSelector {
  const parsed = LabelSelector.fromObject(selector);
  return parsed.isEmpty ? LabelSelector.nothing : parsed;
}

/** The object of this kind that controls a pod, if the cache has it. */
export function ownerOf<T extends KubeObject>(
  pod: Pod,
  { informers }: ControllerContext,
  { ref, kind }: PodOwnerKind<T>,
): T | undefined {
  const reference = controllerOf(pod);
  if (reference?.kind !== kind) return undefined;
  const found = informers.for(ref).get(`${pod.metadata.namespace}/${reference.name}`);
  return found?.metadata.uid === reference.uid ? found : undefined;
}

export interface Follower {
  readonly queue: KeyQueue;
  readonly expectations: Expectations;
  /** Called first for each event about a pod of an owner. */
  onOwned?(event: InformerEvent<Pod>, owner: ObjectKey): void;
}

/** Forwards events about pods to their current, former and potential owners. */
export function followPods<T extends KubeObject>(
  context: ControllerContext,
  kind: PodOwnerKind<T>,
  follower: Follower,
): Disposable {
  const { queue } = follower;
  return context.informers.for(refs.pods).addHandler((event) => {
    const { object } = event;
    const owner = ownerOf(object, context, kind);
    if (owner) onOwned(event, keyOf(owner), follower);
    else if (event.type !== 'deleted' && !controllerOf(object))
      for (const candidate of context.informers.for(kind.ref).list(object.metadata.namespace))
        if (kind.selectorOf(candidate).matches(object.metadata.labels ?? {})) queue.add(keyOf(candidate));
    const previous = event.type === 'updated' ? ownerOf(event.previous, context, kind) : undefined;
    if (previous && previous !== owner) queue.add(keyOf(previous));
  });
}

function onOwned(event: InformerEvent<Pod>, key: ObjectKey, follower: Follower): void {
  const { expectations, queue } = follower;
  const { uid = '', deletionTimestamp } = event.object.metadata;
  follower.onOwned?.(event, key);
  if (event.type === 'deleted' || deletionTimestamp !== undefined) expectations.deletionObserved(key, uid);
  else if (event.type === 'added') expectations.creationObserved(key);
  // While creations are still expected the sync would do nothing; the last of them triggers the next sync.
  if (event.type !== 'added' || expectations.satisfied(key)) queue.add(key);
}

export interface PodClaim {
  /** The pods that may belong to an owner, if not every pod that its selector matches. */
  isCandidate?(pod: Pod): boolean;
  /** Additional changes to an adopted pod. */
  readonly adopted?: { readonly finalizers: readonly string[] };
}

/** The pods of an object, after adopting orphans and releasing pods that no longer match. */
export function claimPods<T extends KubeObject>(
  object: T,
  { context, kind }: { readonly context: ControllerContext; readonly kind: PodOwnerKind<T> },
  { isCandidate = () => true, adopted }: PodClaim = {},
): Promise<Pod[]> {
  const { client, informers } = context;
  const { namespace, name = '' } = object.metadata;
  return claim<Pod>(claimable(informers.for(refs.pods), object).filter(isCandidate), {
    owner: object,
    ownerKind: kind,
    selector: kind.selectorOf(object),
    freshOwner: () => client.resource(kind.ref, namespace).get(name),
    patch: (pod, patch) => {
      const isAdoption = controllerOf(pod) === undefined;
      const whole = isAdoption && adopted ? { metadata: { ...patch.metadata, ...adopted } } : patch;
      return client.resource(refs.pods, namespace).patch(pod.metadata.name ?? '', whole, { type: 'strategic' });
    },
  });
}
