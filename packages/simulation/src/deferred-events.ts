import { type Activity, Fifo, type Logger, nextTurn } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';

/** Maximum number of waiting events; further ones are dropped. */
const maxWaiting = 20_000;

export interface DeferredEventsOptions {
  /** Held while events wait. */
  readonly activity: Activity;
  /** Work that precedes the events. */
  readonly controlPlane?: Activity | undefined;
  readonly logger: Logger;
}

/**
 * Sends the events of many nodes one at a time, each in a separate turn and only when the control plane is idle, so
 * that pods come first: while there is other work, events wait.
 */
export class DeferredEvents {
  readonly #options: DeferredEventsOptions;
  readonly #waiting = new Fifo<() => void>();
  #draining = false;

  constructor(options: DeferredEventsOptions) {
    this.#options = options;
  }

  /** The same recorder with deferred events. */
  behind(recorder: EventRecorder): EventRecorder {
    return { event: (...event) => this.#add(() => recorder.event(...event)) };
  }

  #add(write: () => void): void {
    if (this.#waiting.size >= maxWaiting) return;
    this.#waiting.push(write);
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    const { activity, controlPlane } = this.#options;
    using _busy = activity.begin();
    try {
      for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) {
        await controlPlane?.rest();
        await nextTurn();
        this.#try(write);
      }
    } finally {
      this.#draining = false;
    }
  }

  /** A recorder that throws loses that event, and no other. */
  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#options.logger.error('An event could not be recorded', { error });
    }
  }
}
