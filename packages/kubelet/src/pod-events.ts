import { type Clock, every, type Logger, sleep } from '@coracle/base';
import { type ContainerEventResponse, isCriError, type RuntimeService } from '@coracle/cri';
import { podUidLabel } from './runtime-labels.js';

export interface PodEventsOptions {
  readonly runtime: RuntimeService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onEvent: (event: ContainerEventResponse) => void;
  /** The runtime has something else of this pod than at the last listing. */
  readonly onChange: (podUid: string) => void;
}

/** How often everything is listed where the runtime tells of nothing by itself. */
const relistMs = 1_000;
/** And where it does, in case something was missed. */
const rareRelistMs = 300_000;
const reconnectMs = 1_000;

/** Follows what happens to containers: the runtime tells of it, or is asked again and again. */
export class PodEvents implements Disposable {
  readonly #options: PodEventsOptions;
  readonly #aborter = new AbortController();
  /** What the last listing showed of each pod, as one text. */
  #listed = new Map<string, string>();
  #relisting: Disposable;

  constructor(options: PodEventsOptions) {
    this.#options = options;
    this.#relisting = every(options.clock, rareRelistMs, () => void this.#relist());
    void this.#follow();
  }

  [Symbol.dispose](): void {
    this.#aborter.abort();
    this.#relisting[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    const { runtime, clock, logger, onEvent } = this.#options;
    const { signal } = this.#aborter;
    while (!signal.aborted) {
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
      // What happened while nobody listened shows in a listing.
      await this.#relist();
    }
  }

  async #relist(): Promise<void> {
    try {
      const listed = await listPods(this.#options.runtime);
      const before = this.#listed;
      this.#listed = listed;
      for (const uid of new Set([...before.keys(), ...listed.keys()]))
        if (before.get(uid) !== listed.get(uid)) this.#options.onChange(uid);
    } catch (error) {
      this.#options.logger.error('The runtime could not be listed', { error });
    }
  }
}

/** The states of every pod's sandboxes and containers, as a text that changes when they do. */
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
