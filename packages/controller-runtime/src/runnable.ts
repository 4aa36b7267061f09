import { aborted } from '@coracle/base';

/** The groups that a manager starts one after the other, and stops in the opposite order. */
export const runnableGroups = ['servers', 'webhooks', 'caches', 'others', 'leaderElection'] as const;

/**
 * - `servers`: metrics and health, from the first moment, leader or not.
 * - `webhooks`: before caches, whose first list may need a conversion.
 * - `caches`: complete before anything reads from them.
 * - `others`: run whether or not this process leads.
 * - `leaderElection`: run only while it does.
 */
export type RunnableGroup = (typeof runnableGroups)[number];

/** Something that a manager starts and stops. */
export interface Runnable {
  readonly name?: string;
  /** `leaderElection` unless stated. */
  readonly group?: RunnableGroup;
  /** Runs until `signal` aborts. Ending earlier is fine; failing stops the manager. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when later groups may rely on it. At once if absent. */
  ready?(): Promise<void>;
}

/** Runnables that are started and stopped together. */
export class RunningGroup {
  readonly #waiting: Runnable[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #aborter = new AbortController();
  readonly #fail: (error: unknown) => void;
  #started = false;

  constructor(fail: (error: unknown) => void) {
    this.#fail = fail;
  }

  /** Started at once when the group is. Dropped once the group has been stopped. */
  add(runnable: Runnable): void {
    if (this.#started) this.#run(runnable);
    else this.#waiting.push(runnable);
  }

  /** Resolves when every runnable is ready, or the group is stopped. */
  async start(): Promise<void> {
    this.#started = true;
    const starting = this.#waiting.splice(0);
    for (const runnable of starting) this.#run(runnable);
    const ready = Promise.all(starting.map((runnable) => runnable.ready?.()));
    await Promise.race([ready, aborted(this.#aborter.signal)]);
  }

  async stop(): Promise<void> {
    this.#aborter.abort();
    await Promise.all(this.#running);
  }

  #run(runnable: Runnable): void {
    const { signal } = this.#aborter;
    if (signal.aborted) return;
    const run = startOf(runnable, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#fail(error);
      })
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}

/** A runnable that throws before it returns a promise has failed like any other. */
async function startOf(runnable: Runnable, signal: AbortSignal): Promise<void> {
  await runnable.start(signal);
}
