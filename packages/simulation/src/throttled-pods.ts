import { type Activity, type Clock, Fifo, type Logger, type Millis, nextTurn, sleep } from '@coracle/base';
import type { PodSink, PodSource } from '@coracle/kubelet';

export interface ThrottledPodsOptions {
  readonly source: PodSource;
  /** Work that precedes the pods. */
  readonly controlPlane: Activity;
  /** Counts held-back pods as activity. */
  readonly activity: Activity;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum delay, however busy the control plane is. */
const patienceMs: Millis = 3_000;

/** Number of changes delivered in a turn in which the control plane is idle. */
const perTurn = 64;

/**
 * Slow start: right after the control plane has become idle, requests that came in while it was busy are still to be
 * read and answered, so fewer changes are delivered for some turns.
 */
const slowStart = { turns: 20, perTurn: 8 };

interface Held {
  readonly since: Millis;
  tell(): void;
}

/**
 * Delivers pods to kubelets while the control plane is idle, or after a while. Kubelets usually have their own machines
 * and take no CPU time from the scheduler; where they share its thread, a pod is scheduled sooner if the start of
 * scheduled ones is delayed. A rollout takes the same time altogether.
 *
 * Pods that exist when a kubelet begins to follow are delivered at once: from them it decides which containers are left
 * over.
 */
export class ThrottledPods implements PodSource {
  readonly #options: ThrottledPodsOptions;
  readonly #held = new Fifo<Held>();
  #releasing = false;
  /** Number of turns with deliveries since the control plane became idle. */
  #turnsAtRest = 0;

  constructor(options: ThrottledPodsOptions) {
    this.#options = options;
  }

  follow(nodeName: string, sink: PodSink): Disposable {
    let state: 'beginning' | 'following' | 'ended' = 'beginning';
    const inTurn = (tell: () => void): void => {
      if (state === 'beginning') tell();
      else this.#hold(() => state === 'following' && tell());
    };
    const following = this.#options.source.follow(nodeName, {
      set: (pod) => inTurn(() => sink.set(pod)),
      remove: (pod) => inTurn(() => sink.remove(pod)),
    });
    state = 'following';
    return {
      [Symbol.dispose]: () => {
        state = 'ended';
        following[Symbol.dispose]();
      },
    };
  }

  synced(): Promise<void> {
    return this.#options.source.synced();
  }

  #hold(tell: () => void): void {
    if (!this.#releasing && !this.#options.controlPlane.busy) {
      tell();
      return;
    }
    this.#held.push({ since: this.#options.clock.now(), tell });
    if (!this.#releasing) void this.#release();
  }

  async #release(): Promise<void> {
    this.#releasing = true;
    using _busy = this.#options.activity.begin();
    try {
      for (let oldest = this.#held.peek(); oldest; oldest = this.#held.peek()) {
        if (this.#options.controlPlane.busy) {
          await this.#restOrPatience(oldest);
          this.#turnsAtRest = 0;
        }
        await nextTurn();
        this.#releaseSome();
      }
    } finally {
      this.#releasing = false;
    }
  }

  #releaseSome(): void {
    const { controlPlane, clock } = this.#options;
    const impatientSince = clock.now() - patienceMs;
    const atRest = controlPlane.busy ? 0 : this.#allowance();
    let oldest = this.#held.peek();
    for (let count = 0; oldest && (count < atRest || oldest.since <= impatientSince); count++) {
      this.#held.shift();
      this.#try(oldest);
      oldest = this.#held.peek();
    }
  }

  #allowance(): number {
    return this.#turnsAtRest++ < slowStart.turns ? slowStart.perTurn : perTurn;
  }

  /** A kubelet that throws loses that change; the others receive theirs. */
  #try({ tell }: Held): void {
    try {
      tell();
    } catch (error) {
      this.#options.logger.error('A kubelet failed to process a change of a pod', { error });
    }
  }

  /** Resolves when the control plane is idle, or when `oldest` has waited for its maximum. */
  async #restOrPatience({ since }: Held): Promise<void> {
    const { controlPlane, clock } = this.#options;
    const over = new AbortController();
    const patience = sleep(clock, since + patienceMs - clock.now(), over.signal).catch(() => undefined);
    await Promise.race([controlPlane.rest(), patience]);
    over.abort();
  }
}
