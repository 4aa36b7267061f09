import type { Pod } from '@coracle/api';
import type { Clock, Logger } from '@coracle/base';
import type { PodRejection } from '../admit-pod.js';
import type { PodFailure } from '../pod-failure.js';
import {
  graceWithin,
  planShutdown,
  type ShutdownGroup,
  type ShutdownSettings,
  shutdownGroups,
} from './plan-shutdown.js';

export interface NodeShutdownOptions {
  readonly settings: ShutdownSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activePods: () => readonly Pod[];
  /** Terminates a pod with this grace period in seconds; resolves when none of its containers runs. */
  readonly end: (pod: Pod, failure: PodFailure, graceSeconds: number) => Promise<void>;
  /** The node stops accepting pods, or accepts them again. */
  readonly onChange: () => void;
}

const message = 'Pod was terminated in response to imminent node shutdown.';
const ended: PodFailure = {
  reason: 'Terminated',
  message,
  disruption: { reason: 'TerminationByKubelet', message },
};
const refused: PodRejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** Terminates the pods of a node that is shutting down, by priority, each group within its time. */
export class NodeShutdown {
  readonly #options: NodeShutdownOptions;
  #isUnderWay = false;

  constructor(options: NodeShutdownOptions) {
    this.#options = options;
  }

  /** Total time in seconds; 0 if graceful node shutdown is disabled. */
  static secondsOf(settings: ShutdownSettings): number {
    return shutdownGroups(settings).reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** Why the node is not ready. */
  get problem(): string | undefined {
    return this.#isUnderWay ? 'node is shutting down' : undefined;
  }

  get refusal(): PodRejection | undefined {
    return this.#isUnderWay ? refused : undefined;
  }

  /** Resolves when all pods have ended, or at the timeout. Does nothing unless a grace period is set. */
  async begin(): Promise<void> {
    const { settings, activePods, onChange, logger } = this.#options;
    if (this.#isUnderWay || NodeShutdown.secondsOf(settings) === 0) return;
    this.#isUnderWay = true;
    onChange();
    for (const group of planShutdown(settings, activePods())) {
      if (group.pods.length === 0 || !this.#isUnderWay) continue;
      const isOver = await this.#end(group);
      if (!isOver) logger.error('Pods did not terminate before the node shuts down', { priority: group.priority });
    }
  }

  /** The shutdown was cancelled: the node accepts pods again. */
  cancel(): void {
    if (!this.#isUnderWay) return;
    this.#isUnderWay = false;
    this.#options.onChange();
  }

  async #end({ pods, seconds }: ShutdownGroup): Promise<boolean> {
    const { clock, end } = this.#options;
    const all = Promise.all(pods.map((pod) => end(pod, ended, graceWithin(pod, seconds)))).then(() => true);
    let timer: Disposable | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = clock.schedule(seconds * 1_000, () => resolve(false));
    });
    try {
      return await Promise.race([all, timeout]);
    } finally {
      timer?.[Symbol.dispose]();
    }
  }
}
