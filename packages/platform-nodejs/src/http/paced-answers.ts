import { Fifo } from '@coracle/base';
import type { EndOfTurn } from './end-of-turn.js';

/** So much of all large answers is handed over in one turn of the event loop: about a quarter of a millisecond. */
const bytesPerTurn = 128 * 1024;
/** So much of an answer may wait for its client. */
const inFlightBytes = 256 * 1024;

/** What is used of an answer. */
export interface PacedOutgoing {
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(block: Uint8Array): boolean;
  end(): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

interface Answer {
  readonly outgoing: PacedOutgoing;
  readonly blocks: Iterator<Uint8Array>;
}

/**
 * Sends large answers a block at a time and in turns, as fast as their clients read. Encrypting takes the thread:
 * between two turns, requests come in and short answers leave, so that they do not wait for megabytes that others
 * requested.
 */
export class PacedAnswers {
  readonly #ready = new Fifo<Answer>();
  readonly #turn: EndOfTurn;
  #isScheduled = false;

  constructor(turn: EndOfTurn) {
    this.#turn = turn;
  }

  send(outgoing: PacedOutgoing, blocks: Iterator<Uint8Array>): void {
    this.#ready.push({ outgoing, blocks });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#turn.waitLast().then(() => {
      this.#isScheduled = false;
      this.#sendSome();
      if (this.#ready.size > 0) this.#schedule();
    });
  }

  #sendSome(): void {
    let left = bytesPerTurn;
    while (left > 0) {
      const answer = this.#ready.shift();
      if (!answer) return;
      left -= this.#sendBlock(answer);
    }
  }

  /** Returns how much that was. */
  #sendBlock(answer: Answer): number {
    const { outgoing, blocks } = answer;
    if (outgoing.destroyed) return 0;
    const { value, done } = blocks.next();
    if (done) {
      outgoing.end();
      return 0;
    }
    outgoing.write(value);
    if (outgoing.writableLength < inFlightBytes) this.#ready.push(answer);
    // What it has not taken yet is not put together either.
    else outgoing.once('drain', () => this.send(outgoing, blocks));
    return value.length;
  }
}
