import type { Service } from '@coracle/api';
import type { Reservation } from '../../reservation.js';

/** The service that holds a claim; it may not be stored yet. */
export interface Claimant {
  readonly namespace: string;
  readonly name: string;
}

export function claimantOf({ metadata }: Service): Claimant {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/**
 * Values that only one service may have. The store decides about a claim, so that of two servers, or of two concurrent
 * requests, only one gets it.
 */
export interface Claims<T> {
  /** According to the cache, without a request to the store. */
  isTaken(item: T): boolean;
  /** Resolves with false if another claimant has it. */
  claim(item: T, claimant: Claimant): Promise<boolean>;
  release(item: T, claimant: Claimant): Promise<void>;
}

/**
 * What one write claims and releases. Nothing is released before the write has succeeded. If a release fails, the
 * repair finds it later, so the request succeeds.
 */
export class ClaimSet implements Reservation {
  readonly #taken: (() => Promise<void>)[] = [];
  readonly #surplus: (() => Promise<void>)[] = [];

  /** Reverted if the write fails. */
  took(undo: () => Promise<void>): void {
    this.#taken.push(undo);
  }

  /** Called after the write has succeeded. */
  givesBack(release: () => Promise<void>): void {
    this.#surplus.push(release);
  }

  async commit(): Promise<void> {
    await Promise.allSettled(this.#surplus.map((release) => release()));
  }

  async release(): Promise<void> {
    await Promise.allSettled(this.#taken.map((undo) => undo()));
  }
}
