import { type Millis, RecentMap } from '@coracle/base';

/** One try to place a pod. */
export interface AttemptRecord {
  readonly at: Millis;
  readonly outcome: 'bound' | 'unschedulable' | 'error';
  /** Where it was bound. */
  readonly node?: string;
  /** Why it was not. */
  readonly message?: string;
}

/** Twice as many at most. */
const mostPods = 1_000;
const mostAttempts = 8;

/** The last attempts of the pods that were tried last. */
export class AttemptLog {
  /** By uid. */
  readonly #pods = new RecentMap<string, readonly AttemptRecord[]>(mostPods);

  add(uid: string, attempt: AttemptRecord): void {
    this.#pods.set(uid, [...this.of(uid), attempt].slice(-mostAttempts));
  }

  of(uid: string): readonly AttemptRecord[] {
    return this.#pods.get(uid) ?? [];
  }
}
