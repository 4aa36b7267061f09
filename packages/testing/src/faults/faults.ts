import { Activity, nextTurn, type Random } from '@coracle/base';

/** How often each fault happens, from 0 (never) to 1 (always). */
export interface FaultRates {
  /** A call, a response, an event or a timer is delayed by some turns of the event loop, and others overtake it. */
  readonly delay: number;
  /** A call fails without an effect. */
  readonly fail: number;
  /** A call fails although it was executed: its response is lost. */
  readonly lose: number;
  /** A watch ends after an event. */
  readonly cut: number;
  /** An event comes twice. */
  readonly duplicate: number;
}

/** Faults that a component must tolerate without visible effects, and without time passing. */
export const mildFaults: FaultRates = { delay: 0.05, fail: 0, lose: 0, cut: 0.05, duplicate: 0.05 };

/** Faults that it must survive: the final state is correct. */
export const hardFaults: FaultRates = { delay: 0.3, fail: 0.08, lose: 0.08, cut: 0.1, duplicate: 0.1 };

export interface FaultsOptions {
  readonly random: Random;
  readonly rates: FaultRates;
  /** Held while something is delayed. */
  readonly activity?: Activity;
}

const mostTurns = 3;

/** Decides by a seeded random which faults happen, and counts them. */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #activity: Activity;
  readonly counts: Record<keyof FaultRates, number> = { delay: 0, fail: 0, lose: 0, cut: 0, duplicate: 0 };
  #isOn = true;

  constructor(options: FaultsOptions) {
    this.#options = options;
    this.#activity = options.activity ?? new Activity();
  }

  get rates(): FaultRates {
    return this.#options.rates;
  }

  /** Ends all faults. */
  stop(): void {
    this.#isOn = false;
  }

  start(): void {
    this.#isOn = true;
  }

  happens(fault: keyof FaultRates): boolean {
    const { random, rates } = this.#options;
    if (!this.#isOn || rates[fault] === 0 || random.next() >= rates[fault]) return false;
    this.counts[fault]++;
    return true;
  }

  /** Takes some turns, if it is to be late. */
  async pause(): Promise<void> {
    if (!this.happens('delay')) return;
    const busy = this.#activity.begin();
    const turns = 1 + Math.floor(this.#options.random.next() * mostTurns);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    // Delayed calls continue later in this turn: without counting them, everything would appear idle.
    void nextTurn().then(() => busy[Symbol.dispose]());
  }

  /** Executes a call with possible faults. */
  async call<T>(run: () => Promise<T>, failure: () => Error): Promise<T> {
    await this.pause();
    if (this.happens('fail')) throw failure();
    const answer = await run();
    await this.pause();
    if (this.happens('lose')) throw failure();
    return answer;
  }
}
