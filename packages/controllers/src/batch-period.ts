import type { ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { KeyQueue } from './controller.js';

/** Lets a key wait for further events about it, at the most for a period. 0: it does not wait. */
export function addAfterBatch(queue: KeyQueue, key: ObjectKey, periodMs: Millis): void {
  if (periodMs > 0) queue.addAfter(key, periodMs);
  else queue.add(key);
}
