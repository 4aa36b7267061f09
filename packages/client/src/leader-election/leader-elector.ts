import { type Lease, refs } from '@coracle/api';
import { formatMicroTime, isConflict, isNotFound } from '@coracle/apimachinery';
import { type Clock, deepEqual, type Logger, type Millis, monotonicNow, type Random, sleep } from '@coracle/base';
import type { Client } from '../client.js';
import type { EventRecorder } from '../events/event-recorder.js';

/** Options of leader election: those that candidates share, and the callbacks of this one. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The Lease that candidates share. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** The unique identity of this candidate. */
  readonly identity: string;
  /** Lease duration: time without an observed renewal after which others take over. */
  readonly leaseDurationMs?: Millis;
  /**
   * Renew deadline: time for which the leader retries renewals before it stops leading. Less than the lease duration.
   */
  readonly renewDeadlineMs?: Millis;
  readonly retryPeriodMs?: Millis;
  /** Releases the lease at the end, so that the next leader need not wait. Safe only if the work has ended by then. */
  readonly releaseOnStop?: boolean;
  /** The work of the leader, until `signal` aborts: the lease was lost, or the elector is disposed. */
  readonly onStartedLeading: (signal: AbortSignal) => void;
  readonly onStoppedLeading?: () => void;
  /** The lease was acquired or renewed. Others may lead from `endsAt` on, by `monotonicNow`. */
  readonly onRenewed?: (endsAt: Millis) => void;
  /** Another leader, or ourselves, was seen to hold the lease. */
  readonly onNewLeader?: (identity: string) => void;
  /** Records events on the Lease when leadership changes. */
  readonly recorder?: EventRecorder;
}

type LeaseSpec = NonNullable<Lease['spec']>;

/** Jitter of retries, so that candidates do not retry at the same time. */
const jitter = 1.2;

const releaseAttempts = 3;

/**
 * Elects one leader among candidates by a Lease.
 *
 * Clocks of different machines are never compared: a candidate counts from the moment at which it saw the lease change,
 * on its own clock. It takes over only when the lease has not changed for its whole duration. The leader counts from the
 * moment at which it sent the renewal that succeeded, so it has stepped down by then, however slow the server is.
 */
export class LeaderElector implements AsyncDisposable {
  readonly #options: LeaderElectionOptions &
    Required<Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>>;
  readonly #aborter = new AbortController();
  readonly #running: Promise<void>;
  #observed: Lease | undefined;
  /** When the lease was observed in its current state. */
  #observedAt: Millis = 0;
  /** When we sent what made us hold the lease. Others saw it later. */
  #heldSince: Millis = 0;
  #reported: string | undefined;
  #leading = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, ...options };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options;
    if (leaseDurationMs <= renewDeadlineMs) throw new Error('leaseDuration must be greater than renewDeadline');
    if (renewDeadlineMs <= jitter * retryPeriodMs)
      throw new Error('renewDeadline must be greater than retryPeriod*JitterFactor');
    this.#running = this.#run();
  }

  get isLeader(): boolean {
    return this.#leading;
  }

  /** The holder of the lease as last observed; empty if there is none. */
  get leader(): string {
    return this.#observed?.spec?.holderIdentity ?? '';
  }

  /** False if this process is the leader and has not renewed the lease for longer than its duration and `toleranceMs`. */
  isHealthy(toleranceMs: Millis): boolean {
    const { clock, leaseDurationMs } = this.#options;
    return !this.isLeader || monotonicNow(clock) <= this.#observedAt + leaseDurationMs + toleranceMs;
  }

  /** Stops leading or waiting, and releases the lease if configured. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#aborter.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#aborter;
    while (!signal.aborted) {
      if ((await this.#acquire(signal)) && !(await this.#lead(signal))) await this.#pause(signal);
    }
  }

  /** Retries until it holds the lease. False if it was stopped first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      using attempt = this.#attempts(signal);
      if (await this.#tryToHold(attempt.signal)) return true;
      await this.#pause(signal);
    }
    return false;
  }

  /**
   * False if the work of the leader could not begin or end: it releases the lease, and waits before the next attempt.
   */
  async #lead(signal: AbortSignal): Promise<boolean> {
    const { onStartedLeading, onStoppedLeading, logger, lease, identity, releaseOnStop } = this.#options;
    const name = `${lease.namespace}/${lease.name}`;
    const term = new AbortController();
    logger.info('Became leader', { lease: name, identity });
    this.#record('became leader');
    this.#leading = true;
    let isWell = this.#try(() => onStartedLeading(term.signal));
    if (isWell) await this.#renewUntilLost(signal);
    this.#leading = false;
    term.abort();
    if ((signal.aborted || !isWell) && releaseOnStop) await this.#release();
    logger.info('Stopped leading', { lease: name, identity });
    this.#record('stopped leading');
    isWell = this.#try(() => onStoppedLeading?.()) && isWell;
    return isWell;
  }

  /** Calls a callback, whose failure must not end the election. */
  #try(call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      const { logger, lease, identity } = this.#options;
      logger.error('A callback of the leader election threw', { lease: lease.name, identity, error });
      return false;
    }
  }

  #record(what: string): void {
    const { recorder, identity } = this.#options;
    if (this.#observed) recorder?.event(this.#observed, 'Normal', 'LeaderElection', `${identity} ${what}`);
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    for (let renewed = true; renewed; ) {
      using attempts = this.#attempts(signal, this.#termLeftMs());
      renewed = false;
      while (!renewed && !attempts.signal.aborted) {
        await this.#pause(attempts.signal, 1);
        renewed = !attempts.signal.aborted && (await this.#tryToHold(attempts.signal));
        if (!renewed && this.#observed && this.#isHeldByOther(this.#observed)) return;
      }
    }
  }

  /** Until others may take over. */
  #termLeftMs(): Millis {
    const { clock, leaseDurationMs } = this.#options;
    return this.#heldSince + leaseDurationMs - monotonicNow(clock);
  }

  /** A signal that aborts when `outer` does, or when the time in which we must have succeeded is over. */
  #attempts(
    outer?: AbortSignal,
    mostMs: Millis = Number.POSITIVE_INFINITY,
  ): Disposable & { readonly signal: AbortSignal } {
    const { clock, renewDeadlineMs } = this.#options;
    const deadline = new AbortController();
    const abort = () => deadline.abort(new Error('the deadline for holding the lease has passed'));
    const timer = clock.schedule(Math.min(renewDeadlineMs, mostMs), abort);
    outer?.addEventListener('abort', abort, { once: true });
    if (outer?.aborted) abort();
    return {
      signal: deadline.signal,
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        outer?.removeEventListener('abort', abort);
      },
    };
  }

  /** Acquires or renews the lease. False if another one holds it, or the server rejects the write. */
  async #tryToHold(signal: AbortSignal): Promise<boolean> {
    try {
      return await orAborted(this.#hold(signal), signal);
    } catch (error) {
      this.#options.logger.info('Failed to acquire the lease', { lease: this.#options.lease.name, error });
      return false;
    }
  }

  async #hold(signal: AbortSignal): Promise<boolean> {
    const current = await this.#read(signal);
    if (current) this.#observe(current);
    if (current && this.#isHeldByOther(current)) return false;
    const spec = this.#nextSpec(current?.spec);
    const sentAt = monotonicNow(this.#options.clock);
    const { name, namespace } = this.#options.lease;
    const held = current
      ? await this.#leases().update({ ...current, spec }, { signal })
      : await this.#leases().create({ metadata: { name, namespace }, spec }, { signal });
    this.#heldSince = sentAt;
    this.#try(() => this.#options.onRenewed?.(sentAt + this.#options.leaseDurationMs));
    this.#observe(held);
    return true;
  }

  #isHeldByOther({ spec }: Lease): boolean {
    const { clock, leaseDurationMs, identity } = this.#options;
    if (!spec?.holderIdentity || spec.holderIdentity === identity) return false;
    const durationMs = spec.leaseDurationSeconds ? spec.leaseDurationSeconds * 1000 : leaseDurationMs;
    return this.#observedAt + durationMs > monotonicNow(clock);
  }

  #nextSpec(current: LeaseSpec | undefined): LeaseSpec {
    const { clock, identity, leaseDurationMs } = this.#options;
    const now = formatMicroTime(clock.now());
    const held = current?.holderIdentity === identity;
    const transitions = current?.leaseTransitions ?? 0;
    return {
      ...current,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: held ? (current.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: !current || held ? transitions : transitions + 1,
    };
  }

  /**
   * A renewal that was aborted may still arrive: then the lease differs from the known one, and is read again. A server
   * that does not answer is waited for as long as for a renewal.
   */
  async #release(): Promise<void> {
    const { logger, lease } = this.#options;
    using attempts = this.#attempts();
    const { signal } = attempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await orAborted(this.#releaseOnce(signal), signal);
      } catch (error) {
        if (isConflict(error) && attempt < releaseAttempts) continue;
        logger.info('Failed to release the lease', { lease: lease.name, error });
        return;
      }
    }
  }

  async #releaseOnce(signal: AbortSignal): Promise<void> {
    const { clock, identity } = this.#options;
    const held = await this.#read(signal);
    if (held?.spec?.holderIdentity !== identity) return;
    const now = formatMicroTime(clock.now());
    const spec = { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    this.#observe(await this.#leases().update({ ...held, spec }, { signal }));
  }

  /** Time counts from here only if the lease is not the one that we saw before. */
  #observe(lease: Lease): void {
    if (!deepEqual(this.#observed?.spec, lease.spec)) this.#observedAt = monotonicNow(this.#options.clock);
    this.#observed = lease;
    const leader = lease.spec?.holderIdentity ?? '';
    if (leader === '' || leader === this.#reported) return;
    this.#reported = leader;
    this.#try(() => this.#options.onNewLeader?.(leader));
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#leases().get(this.#options.lease.name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #leases() {
    return this.#options.client.resource(refs.leases, this.#options.lease.namespace);
  }

  async #pause(signal: AbortSignal, atMost = jitter): Promise<void> {
    const { clock, random, retryPeriodMs } = this.#options;
    const delayMs = retryPeriodMs * (1 + (atMost - 1) * random.next());
    await sleep(clock, delayMs, signal).catch(() => undefined);
  }
}

/**
 * The promise, or the signal's reason if that comes first: a response that never arrives must not prolong the
 * leadership.
 */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Starts leader election, until disposed. */
export function electLeader(options: LeaderElectionOptions): LeaderElector {
  return new LeaderElector(options);
}
