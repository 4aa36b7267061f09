import type { Status } from './status-error.js';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One event of a watch, as on the wire. The object of an `ERROR` is a `Status`. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };

/** On the bookmark that ends the initial events of a watch with `sendInitialEvents`. */
export const initialEventsEnd = 'k8s.io/initial-events-end';
