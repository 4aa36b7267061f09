import { type Clock, type Millis, monotonicNow } from '@coracle/base';

/** Nodes of one zone that wait for a taint, rate-limited by a token bucket with a burst of one. */
export class ZoneQueue implements Disposable {
  readonly #clock: Clock;
  readonly #taint: (nodeName: string) => void;
  readonly #waiting = new Set<string>();
  #perSecond: number;
  #nextAt: Millis;
  #timer: Disposable | undefined;

  constructor(clock: Clock, perSecond: number, taint: (nodeName: string) => void) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#nextAt = monotonicNow(clock);
    this.#taint = taint;
  }

  add(nodeName: string): void {
    this.#waiting.add(nodeName);
    this.#pump();
  }

  /** False if it was not waiting. */
  remove(nodeName: string): boolean {
    return this.#waiting.delete(nodeName);
  }

  /** Zero stops it. */
  setRate(perSecond: number): void {
    if (perSecond === this.#perSecond) return;
    this.#perSecond = perSecond;
    this.#nextAt = monotonicNow(this.#clock);
    this.#pump();
  }

  [Symbol.dispose](): void {
    this.#waiting.clear();
    this.#timer?.[Symbol.dispose]();
  }

  #pump(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#perSecond === 0) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    const wait = this.#nextAt - monotonicNow(this.#clock);
    if (wait > 0) {
      this.#timer = this.#clock.schedule(wait, () => this.#pump());
      return;
    }
    this.#nextAt = monotonicNow(this.#clock) + 1000 / this.#perSecond;
    this.#waiting.delete(next);
    this.#taint(next);
    this.#pump();
  }
}
