import { type Activity, Fifo, nextTurn } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';

/** So many events wait at most; what is beyond is dropped, as it is when a server cannot keep up. */
const maxWaiting = 20_000;

/**
 * Lets the events of many nodes go out one at a time, each in a turn of its own and not before the control plane is at
 * rest, so that pods come first: while there is much else to do, events wait.
 */
export class PatientEvents {
  readonly #activity: Activity;
  readonly #controlPlane: Activity | undefined;
  readonly #waiting = new Fifo<() => void>();
  #draining = false;

  constructor(activity: Activity, controlPlane?: Activity) {
    this.#activity = activity;
    this.#controlPlane = controlPlane;
  }

  /** The same recorder, with patience. */
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
    using _busy = this.#activity.begin();
    for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) {
      await this.#controlPlane?.rest();
      await nextTurn();
      write();
    }
    this.#draining = false;
  }
}
