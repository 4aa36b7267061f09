import { type Activity, type Clock, every, type Logger, type Millis, messageOf } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import { type Container, ContainerState, isCriError, type RuntimeService } from '@coracle/cri';
import { nodeReference } from '../container-reference.js';
import type { PodLogs } from '../logs/pod-logs.js';
import type { KubeletSettings } from '../settings.js';
import { type PodRemains, planContainerRemoval } from './plan-container-removal.js';

export interface ContainerGarbageOptions {
  readonly nodeName: string;
  readonly runtime: RuntimeService;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  readonly podLogs: Pick<PodLogs, 'forgetContainer'>;
  readonly remainsOf: (podUid: string) => PodRemains;
}

const periodMs: Millis = 60_000;

/** Removes dead containers and sandboxes that are no longer needed. */
export class ContainerGarbage implements Disposable {
  readonly #options: ContainerGarbageOptions;
  readonly #collecting: Disposable;
  /** Whether a container has ended since the last pass; a node without changes is not listed. */
  #due = true;
  #failed = false;

  constructor(options: ContainerGarbageOptions) {
    this.#options = options;
    this.#collecting = every(options.clock, periodMs, () => void (this.#due && this.#collectDue()));
  }

  /** Call it when a container or a sandbox has ended. */
  note(): void {
    this.#due = true;
  }

  /** `all`: also the remains of pods that have ended. */
  async collect(all: boolean): Promise<void> {
    const { runtime, clock } = this.#options;
    const [{ containers = [] }, { items = [] }] = await Promise.all([
      runtime.listContainers({}),
      runtime.listPodSandbox({}),
    ]);
    const plan = planContainerRemoval({ ...this.#options, containers, sandboxes: items, now: clock.now(), all });
    await this.#each(plan.containers, (container) => this.#remove(container));
    await this.#each(plan.sandboxes, ({ id: podSandboxId = '' }) => this.#removeSandbox(podSandboxId));
  }

  [Symbol.dispose](): void {
    this.#collecting[Symbol.dispose]();
  }

  async #collectDue(): Promise<void> {
    const { recorder, nodeName, logger, activity } = this.#options;
    using _busy = activity.begin();
    this.#due = false;
    try {
      await this.collect(false);
      if (this.#failed) logger.info('Removal of dead containers works again', { node: nodeName });
      this.#failed = false;
    } catch (error) {
      this.#due = true;
      this.#failed = true;
      const message = messageOf(error);
      recorder.event(nodeReference(nodeName), 'Warning', 'ContainerGCFailed', message);
    }
  }

  /**
   * A failure for one does not affect the others: it is logged, and retried in the next pass. A container that the
   * pod's worker has removed meanwhile is no failure.
   */
  async #each<T extends { readonly id?: string }>(items: readonly T[], remove: (item: T) => Promise<void>) {
    const outcomes = await Promise.allSettled(items.map(remove));
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled' || isCriError(outcome.reason, 'NotFound')) continue;
      this.#due = true;
      this.#options.logger.error('What a pod has left could not be removed', {
        id: items[i]?.id,
        error: outcome.reason,
      });
    }
  }

  /** A container that may still be running, according to the runtime, is stopped first. */
  async #remove(container: Container): Promise<void> {
    const { runtime, podLogs } = this.#options;
    const { id: containerId = '', state } = container;
    if (state === ContainerState.CONTAINER_UNKNOWN) await runtime.stopContainer({ containerId, timeout: 0 });
    await podLogs.forgetContainer(container);
    await runtime.removeContainer({ containerId });
  }

  async #removeSandbox(podSandboxId: string): Promise<void> {
    const { runtime } = this.#options;
    await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });
  }
}
