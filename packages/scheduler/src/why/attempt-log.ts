import { type Millis, RecentMap } from '@coracle/base';

/** One scheduling attempt of a pod. */
export interface AttemptRecord {
  readonly at: Millis;
  readonly outcome: 'bound' | 'unschedulable' | 'error';
  /** The node to which it was bound. */
  readonly node?: string;
  /** Why it was not bound. */
  readonly message?: string;
}

/** At most twice as many are stored. */
const mostPods = 1_000;
const mostAttempts = 8;

/** The last attempts of recently scheduled pods. */
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
