import { Fifo, type Millis } from '@coracle/base';
import type { EndOfTurn } from './end-of-turn.js';
import type { JoinedChunks } from './joined-chunks.js';

/** Block size of writes. */
export const blockBytes: number = 64 * 1024;
/**
 * Number of blocks that are reused. Memory that is allocated for every block counts towards the next full garbage
 * collection, which takes longer than sending the response.
 */
const freeBlocksKept = 32;

/** Minimum amount of large responses that is sent in one turn of the event loop: a third of a millisecond. */
const leastPerTurn = 3 * blockBytes;
const mostPerTurn = 64 * blockBytes;
/**
 * Additional amount for each millisecond of other work in the turn: an eighth of the time, or a list would take many
 * long turns.
 */
const bytesPerBusyMs = 64 * 1024;
/**
 * Maximum buffered amount of a response: the amount of a turn, if that is more, minus the buffers of clients that do
 * not read.
 */
const inFlightBytes = 256 * 1024;

/** The part of a response that is used. */
export interface PacedOutgoing {
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(block: Uint8Array, onWritten: (error?: Error | null) => void): boolean;
  end(): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
}

interface Answer {
  readonly outgoing: PacedOutgoing;
  readonly chunks: JoinedChunks;
}

/**
 * Sends large answers a block at a time and in turns, as fast as their clients read. Encryption blocks the thread:
 * between two turns, requests are read and short responses are sent, so that they do not wait for megabytes that other
 * clients requested.
 */
export class PacedAnswers {
  readonly #ready = new Fifo<Answer>();
  readonly #turn: EndOfTurn;
  /** Responses that had to wait for their client. */
  readonly #slow = new Set<PacedOutgoing>();
  readonly #freeBlocks: Uint8Array[] = [];
  readonly #now: () => Millis;
  #isScheduled = false;

  constructor(turn: EndOfTurn, now: () => Millis) {
    this.#turn = turn;
    this.#now = now;
  }

  send(outgoing: PacedOutgoing, chunks: JoinedChunks): void {
    this.#ready.push({ outgoing, chunks });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const since = this.#now();
    void this.#turn.waitLast().then(() => {
      this.#isScheduled = false;
      this.#sendSome(this.#now() - since);
      if (this.#ready.size > 0) this.#schedule();
    });
  }

  #sendSome(busyMs: Millis): void {
    const share = Math.min(mostPerTurn, Math.max(leastPerTurn, busyMs * bytesPerBusyMs));
    const mostInFlight = Math.max(inFlightBytes, share - this.#waitingBytes());
    for (let left = share; left > 0; ) {
      const answer = this.#ready.shift();
      if (!answer) return;
      left -= this.#sendBlock(answer, mostInFlight);
    }
  }

  /** Returns the written amount. */
  #sendBlock(answer: Answer, mostInFlight: number): number {
    const { outgoing, chunks } = answer;
    if (outgoing.destroyed) return 0;
    const block = this.#freeBlocks.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
    const bytes = chunks.next(block);
    if (!bytes) {
      this.#free(block);
      outgoing.end();
      return 0;
    }
    outgoing.write(bytes, (error) => {
      if (!error) this.#free(block);
    });
    if (outgoing.writableLength < mostInFlight) this.#ready.push(answer);
    // What it has not taken yet is not put together either.
    else this.#sendWhenDrained(answer);
    return bytes.length;
  }

  #sendWhenDrained({ outgoing, chunks }: Answer): void {
    if (!this.#slow.has(outgoing)) {
      this.#slow.add(outgoing);
      outgoing.once('close', () => this.#slow.delete(outgoing));
    }
    outgoing.once('drain', () => this.send(outgoing, chunks));
  }

  #waitingBytes(): number {
    let sum = 0;
    for (const { writableLength } of this.#slow) sum += writableLength;
    return sum;
  }

  #free(block: Uint8Array): void {
    if (this.#freeBlocks.length < freeBlocksKept) this.#freeBlocks.push(block);
  }
}
