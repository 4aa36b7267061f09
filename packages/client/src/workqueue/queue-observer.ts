/** Observes the keys of a queue, for metrics. An add without effect is not reported. */
export interface QueueObserver<Key> {
  added(key: Key): void;
  taken(key: Key): void;
  done(key: Key): void;
  /** A key is added again later: after a failure, or with `requeueAfter`. */
  retried(key: Key): void;
}

export const unobserved: QueueObserver<unknown> = Object.freeze({ added() {}, taken() {}, done() {}, retried() {} });
