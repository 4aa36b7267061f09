/**
 * The end of a turn of the event loop, for all callers that wait for it in that turn. Responses that are sent in one
 * batch wake a waiting client once. If each were sent as soon as it is ready, each would wake it, and waking a process
 * costs more than computing a response.
 */
export class EndOfTurn {
  #next: Promise<void> | undefined;
  #last: Promise<void> | undefined;
  readonly #due: (() => void)[] = [];

  /** Waiting callers continue in the order in which they came. */
  wait(): Promise<void> {
    this.#next ??= this.#promise(true);
    return this.#next;
  }

  /** The same, but after all others of that turn: for long work. */
  waitLast(): Promise<void> {
    this.#last ??= this.#promise(false);
    return this.#last;
  }

  #promise(isFirst: boolean): Promise<void> {
    if (this.#due.length === 0) setImmediate(() => this.#end());
    return new Promise((resolve) => {
      if (isFirst) this.#due.unshift(resolve);
      else this.#due.push(resolve);
    });
  }

  #end(): void {
    this.#next = undefined;
    this.#last = undefined;
    for (const resolve of this.#due.splice(0)) resolve();
  }
}
