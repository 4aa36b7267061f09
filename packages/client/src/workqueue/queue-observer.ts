/** Observes what happens to keys, for metrics. An add that changes nothing is not reported. */
export interface QueueObserver<Key> {
  added(key: Key): void;
  taken(key: Key): void;
  done(key: Key): void;
  /** A key is added again later: after a failure, or with `requeueAfter`. */
  retried(key: Key): void;
}

export const unobserved: QueueObserver<unknown> = Object.freeze({ added() {}, taken() {}, done() {}, retried() {} });
