import { type KubeObject, type OwnerReference, type ResourceRef, refersTo } from '@coracle/apimachinery';
import type { Request } from './reconciler.js';
import type { RequestQueue } from './request-queue.js';
import type { SourceEvent } from './source-event.js';

/** Turns an event into requests: none, one or many. It must not throw. */
export type EventHandler<T extends KubeObject = KubeObject> = (event: SourceEvent<T>, queue: RequestQueue) => void;

/** The object of the event. */
export const enqueueObject: EventHandler = ({ object }, queue) => queue.add(requestFor(object));

/** Which owners are enqueued. */
export interface EnqueueOwnerOptions {
  /** Only the owner that manages the object, not every one it has. */
  readonly onlyController?: boolean;
}

/** Enqueues the owners of kind `owner` of the event's object. An update enqueues old and new owners. */
export function enqueueOwner(
  owner: ResourceRef<KubeObject>,
  { onlyController = false }: EnqueueOwnerOptions = {},
): EventHandler {
  const owns = (reference: OwnerReference) =>
    refersTo(reference, owner) && (!onlyController || reference.controller === true);
  return enqueueMapped(({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(owns)
      .map(({ name }) => ({ name, namespace: owner.namespaced ? (metadata.namespace ?? '') : '' })),
  );
}

/** Whatever `map` names. An update maps both the old and the new object, each request once. */
export function enqueueMapped<T extends KubeObject>(map: (object: T) => readonly Request[]): EventHandler<T> {
  return (event, queue) => {
    const objects = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    const requests = new Map<string, Request>();
    for (const request of objects.flatMap(map)) requests.set(`${request.namespace}/${request.name}`, request);
    for (const request of requests.values()) queue.add(request);
  };
}

/** The request that names an object. */
export function requestFor({ metadata }: KubeObject): Request {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
