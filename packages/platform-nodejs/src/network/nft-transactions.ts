import { NftSession } from './nft-session.js';
import { NftShell } from './nft-shell.js';

/** Larger transactions run in a separate process, which releases its memory. */
const largestKept = 64 * 1024;

/** Applies transactions of `nft` in order, each in the cheapest way. */
export class NftTransactions implements Disposable {
  readonly #shell: NftShell;
  readonly #session: NftSession;
  #isKept = true;
  #last: Promise<void> = Promise.resolve();

  constructor(netns: string | undefined) {
    this.#shell = new NftShell(netns);
    this.#session = new NftSession(netns);
  }

  apply(statements: string): Promise<void> {
    const done = this.#last.then(() => this.#apply(statements));
    this.#last = done.catch(() => undefined);
    return done;
  }

  [Symbol.dispose](): void {
    this.#shell[Symbol.dispose]();
    this.#session[Symbol.dispose]();
  }

  async #apply(statements: string): Promise<void> {
    if (this.#isKept && statements.length <= largestKept) {
      this.#isKept = await this.#session.isUsable();
      if (this.#isKept) return this.#session.apply(statements);
    }
    return this.#shell.apply(statements);
  }
}
