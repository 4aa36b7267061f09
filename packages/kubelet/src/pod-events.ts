import { formatDuration } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis, monotonicNow, sleep } from '@coracle/base';
import { type ContainerEventResponse, isCriError, type RuntimeService } from '@coracle/cri';
import { podUidLabel } from './runtime-labels.js';
import type { PodCounts } from './stats/pod-counts.js';

export interface PodEventsOptions {
  readonly runtime: RuntimeService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly counts?: Pick<PodCounts, 'relisted'>;
  readonly onEvent: (event: ContainerEventResponse) => void;
  /** Called when the runtime's state of this pod has changed since the last listing. */
  readonly onChange: (podUid: string) => void;
}

/** Relist interval if the runtime does not report events. */
const relistMs = 1_000;
/** Relist interval if it does, in case an event was missed. */
const rareRelistMs = 300_000;
const reconnectMs = 1_000;
/** Time without a successful relist after which the runtime counts as unhealthy. */
const silenceMs = 180_000;

/** Follows the lifecycle of containers: by events of the runtime, or by relisting (PLEG). */
export class PodEvents implements Disposable {
  readonly #options: PodEventsOptions;
  readonly #aborter = new AbortController();
  /** The state of each pod in the last listing, as text. */
  #listed = new Map<string, string>();
  #relisting: Disposable;
  /** Start of the oldest listing that has not been followed by a successful one. */
  #unansweredSince: Millis | undefined;
  #isListing = false;
  #wantsListing = false;

  constructor(options: PodEventsOptions) {
    this.#options = options;
    this.#relisting = every(options.clock, rareRelistMs, () => void this.#relist());
    void this.#follow();
  }

  [Symbol.dispose](): void {
    this.#aborter.abort();
    this.#relisting[Symbol.dispose]();
  }

  /** The problem with listings, if they have failed for long. */
  get problem(): string | undefined {
    const now = monotonicNow(this.#options.clock);
    const silence = now - (this.#unansweredSince ?? now);
    if (silence <= silenceMs) return undefined;
    const [ago, most] = [formatDuration(Math.round(silence)), formatDuration(silenceMs)];
    return `PLEG is not healthy: pleg was last seen active ${ago} ago; threshold is ${most}`;
  }

  async #follow(): Promise<void> {
    const { runtime, clock, logger, onEvent } = this.#options;
    const { signal } = this.#aborter;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // In the next step, after the stream was requested: lists changes since the last stream ended.
      if (!isFirst) void Promise.resolve().then(() => this.#relist());
      try {
        for await (const event of runtime.getContainerEvents({}, signal)) {
          if (signal.aborted) return;
          onEvent(event);
        }
      } catch (error) {
        if (isCriError(error, 'Unimplemented')) {
          this.#relisting[Symbol.dispose]();
          this.#relisting = every(clock, relistMs, () => void this.#relist());
          return;
        }
        logger.error("The runtime's events could not be read", { error });
      }
      if (signal.aborted) return;
      await sleep(clock, reconnectMs, signal).catch(() => undefined);
    }
  }

  /** One listing at a time: a runtime that hangs would have to answer all of them. Requests meanwhile get one more. */
  async #relist(): Promise<void> {
    this.#wantsListing = true;
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      while (this.#wantsListing && !this.#aborter.signal.aborted) {
        this.#wantsListing = false;
        await this.#list();
      }
    } finally {
      this.#isListing = false;
    }
  }

  async #list(): Promise<void> {
    const { clock, counts } = this.#options;
    const began = monotonicNow(clock);
    this.#unansweredSince ??= began;
    try {
      const listed = await listPods(this.#options.runtime);
      if (this.#aborter.signal.aborted) return;
      this.#unansweredSince = undefined;
      counts?.relisted(monotonicNow(clock) - began);
      const before = this.#listed;
      this.#listed = listed;
      for (const uid of new Set([...before.keys(), ...listed.keys()]))
        if (before.get(uid) !== listed.get(uid)) this.#options.onChange(uid);
    } catch (error) {
      this.#options.logger.error('Failed to list the pods of the container runtime', { error });
    }
  }
}

/** The states of every pod's sandboxes and containers, as text. */
async function listPods(runtime: RuntimeService): Promise<Map<string, string>> {
  const [{ items = [] }, { containers = [] }] = await Promise.all([
    runtime.listPodSandbox({}),
    runtime.listContainers({}),
  ]);
  const pods = new Map<string, string>();
  for (const { id, state, labels } of [...items, ...containers]) {
    const uid = labels?.[podUidLabel] ?? '';
    pods.set(uid, `${pods.get(uid) ?? ''}${id}:${state};`);
  }
  return pods;
}
