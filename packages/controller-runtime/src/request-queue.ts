import { type ObjectKey, objectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { RateLimitingWorkQueue } from '@coracle/client';
import type { Request } from './reconciler.js';

/** The queue of event handlers. A request that is added twice before it is taken is reconciled once. */
export interface RequestQueue {
  add(request: Request): void;
  addAfter(request: Request, delayMs: Millis): void;
}

/** The priority of resyncs: they wait until all other requests are done. */
export const lowPriority = -100;

export function requestQueue(queue: RateLimitingWorkQueue<ObjectKey>, priority = 0): RequestQueue {
  return {
    add: ({ namespace, name }) => queue.add(objectKey(namespace, name), priority),
    addAfter: ({ namespace, name }, delayMs) => queue.addAfter(objectKey(namespace, name), delayMs, priority),
  };
}
