import type { Millis } from '@coracle/base';

/** One try to place a pod. */
export interface AttemptRecord {
  readonly at: Millis;
  readonly outcome: 'bound' | 'unschedulable' | 'error';
  /** Where it was bound. */
  readonly node?: string;
  /** Why it was not. */
  readonly message?: string;
}

const mostPods = 2_000;
const mostAttempts = 8;

/** The last attempts of the pods that were tried last. */
export class AttemptLog {
  /** By uid, those that were tried longest ago first. */
  readonly #pods = new Map<string, readonly AttemptRecord[]>();

  add(uid: string, attempt: AttemptRecord): void {
    const attempts = this.#pods.get(uid) ?? [];
    this.#pods.delete(uid);
    this.#pods.set(uid, [...attempts, attempt].slice(-mostAttempts));
    if (this.#pods.size <= mostPods) return;
    const [oldest] = this.#pods.keys();
    if (oldest !== undefined) this.#pods.delete(oldest);
  }

  of(uid: string): readonly AttemptRecord[] {
    return this.#pods.get(uid) ?? [];
  }
}
