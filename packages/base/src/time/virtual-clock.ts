import type { Activity } from '../async/activity.js';
import { nextTurn } from '../async/next-turn.js';
import { Heap } from '../collections/heap.js';
import type { Clock, Millis } from './clock.js';

interface Task {
  readonly at: Millis;
  /** Breaks ties: tasks due at the same instant run in the order they were scheduled. */
  readonly sequence: number;
  readonly run: () => void;
  cancelled: boolean;
}

export interface VirtualClockOptions {
  /** Initial time. */
  readonly startAt?: Millis;
  /** `settle` waits for the work in progress, unless that waits for the clock itself. */
  readonly activity?: Activity;
}

/**
 * A clock that moves only when it is advanced.
 *
 * `advance` runs each due task at its own instant, and lets everything that the
 * task started finish before the next one runs. An assertion can
 * therefore follow `advance` directly: there is nothing to poll for.
 */
export class VirtualClock implements Clock {
  /** Cancelled tasks stay in it until they come up or are too many; `#live` counts the others. */
  #tasks = newHeap();
  readonly #activity: Activity | undefined;
  #now: Millis;
  /** What the time of day is ahead of the time by which tasks are due. */
  #setForwardMs: Millis = 0;
  #sequence = 0;
  #live = 0;

  constructor(options: VirtualClockOptions = {}) {
    this.#now = options.startAt ?? Date.UTC(2026, 0, 1);
    this.#activity = options.activity;
  }

  now(): Millis {
    return this.#now + this.#setForwardMs;
  }

  elapsed(): Millis {
    return this.#now;
  }

  /** Sets the time of day forward, or with a negative value back, as an administrator or NTP does. No time passes. */
  setForward(ms: Millis): void {
    this.#setForwardMs += ms;
  }

  /** Tasks still scheduled. A test that ends with some has leaked a timer. */
  get pending(): number {
    return this.#live;
  }

  schedule(delayMs: Millis, run: () => void): Disposable {
    const task: Task = { at: this.#now + Math.max(0, delayMs), sequence: this.#sequence++, run, cancelled: false };
    this.#tasks.push(task);
    this.#live++;
    return { [Symbol.dispose]: () => this.#cancel(task) };
  }

  /** Moves time forward by `ms`. Tasks that fall due while it moves run too, also those scheduled on the way. */
  async advance(ms: Millis): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let task = this.#takeDue(end); task; task = this.#takeDue(end)) {
      this.#now = task.at;
      task.run();
      await this.settle();
    }
    this.#now = end;
  }

  /** Runs everything that is due now, until nothing is left to do without advancing the clock. */
  async settle(): Promise<void> {
    const activity = this.#activity;
    for (let changes = -1, idleTurns = 0; ; idleTurns++) {
      await nextTurn();
      for (let task = this.#takeDue(this.#now); task; task = this.#takeDue(this.#now)) {
        task.run();
        idleTurns = 0;
        await nextTurn();
      }
      if (!activity?.busy) return;
      if (activity.changes !== changes) idleTurns = 0;
      changes = activity.changes;
      if (activity.mayAwaitTime && idleTurns >= enoughIdleTurns) return;
    }
  }

  #takeDue(end: Millis): Task | undefined {
    for (let next = this.#tasks.peek(); next && (next.cancelled || next.at <= end); next = this.#tasks.peek()) {
      this.#tasks.pop();
      if (next.cancelled) continue;
      // Marked as done, so that disposing it later does not count it twice.
      next.cancelled = true;
      this.#live--;
      return next;
    }
    return undefined;
  }

  #cancel(task: Task): void {
    if (task.cancelled) return;
    task.cancelled = true;
    this.#live--;
    if (this.#tasks.size > 2 * this.#live + fewTasks) this.#dropCancelled();
  }

  /**
   * While the clock does not advance no timer is due, and cancelled ones would be kept with everything that they refer
   * to.
   */
  #dropCancelled(): void {
    const live = newHeap();
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) if (!task.cancelled) live.push(task);
    this.#tasks = live;
  }
}

/** Number of turns without begun or ended work after which remaining work counts as waiting for time. */
const enoughIdleTurns = 30;

/** Number of cancelled tasks below which they are not dropped. */
const fewTasks = 1_000;

function newHeap(): Heap<Task> {
  return new Heap<Task>((a, b) => a.at - b.at || a.sequence - b.sequence);
}
