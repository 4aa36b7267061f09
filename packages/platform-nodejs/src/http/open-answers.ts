import type { Outgoing } from './messages.js';

/** What is being answered now, for an orderly end: streams are ended, and other answers are waited for. */
export class OpenAnswers {
  readonly #open = new Set<Outgoing>();
  readonly #streams = new Set<Outgoing>();
  #whenNone: (() => void) | undefined;

  begin(outgoing: Outgoing): void {
    this.#open.add(outgoing);
  }

  /** An answer without an end of its own, such as a watch. */
  isStream(outgoing: Outgoing): void {
    if (this.#open.delete(outgoing)) this.#streams.add(outgoing);
  }

  end(outgoing: Outgoing): void {
    this.#open.delete(outgoing);
    this.#streams.delete(outgoing);
    if (this.#open.size === 0 && this.#streams.size === 0) this.#whenNone?.();
  }

  /** Resolves when the last answer is out, or after `longestMs`. */
  async finish(longestMs: number): Promise<void> {
    for (const stream of this.#streams) stream.end();
    if (this.#open.size === 0 && this.#streams.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
