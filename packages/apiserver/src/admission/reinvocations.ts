import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { MutationRounds } from './admission.js';

/**
 * Which webhooks or policies see a write a second time: those with `reinvocationPolicy: IfNeeded`, if the object has
 * changed since they saw it. None sees it in the second round for the first time.
 */
export class Reinvocations {
  readonly #rounds: MutationRounds;
  /** Webhooks and policies with `reinvocationPolicy: IfNeeded` that ran in the first round. */
  readonly #invoked = new Set<string>();
  /** Those that will run again. */
  readonly #due = new Set<string>();
  #lastOutput: KubeObject | undefined;

  private constructor(rounds: MutationRounds) {
    this.#rounds = rounds;
  }

  static of(rounds: MutationRounds, plugin: string): Reinvocations {
    let found = rounds.state.get(plugin);
    if (!(found instanceof Reinvocations)) {
      found = new Reinvocations(rounds);
      rounds.state.set(plugin, found);
    }
    return found as Reinvocations;
  }

  /** What other plugins have changed in the second round is a change too. */
  beginRound(object: KubeObject | undefined): void {
    if (this.#rounds.isRepeated && !deepEqual(object, this.#lastOutput)) this.#requireAll();
  }

  isDue(id: string): boolean {
    return !this.#rounds.isRepeated || this.#due.has(id);
  }

  /** The one that just ran has changed the object: earlier ones may have to run again. */
  changed(): void {
    this.#requireAll();
    this.#rounds.repeat();
  }

  invoked(id: string): void {
    this.#invoked.add(id);
  }

  endRound(object: KubeObject | undefined): void {
    this.#lastOutput = object;
  }

  #requireAll(): void {
    for (const id of this.#invoked) this.#due.add(id);
    this.#invoked.clear();
  }
}
