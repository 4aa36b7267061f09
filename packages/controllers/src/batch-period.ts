import type { ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { KeyQueue } from './controller.js';

/** Batches the events of a key for at most a period; 0 disables it. */
export function addAfterBatch(queue: KeyQueue, key: ObjectKey, periodMs: Millis): void {
  if (periodMs > 0) queue.addAfter(key, periodMs);
  else queue.add(key);
}
