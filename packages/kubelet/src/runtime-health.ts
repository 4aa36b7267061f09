import type { Clock, Logger, Millis } from '@coracle/base';
import { every, monotonicNow } from '@coracle/base';
import type { RuntimeCondition, RuntimeFeatures, RuntimeHandler, RuntimeService } from '@coracle/cri';

export interface RuntimeHealthOptions {
  readonly runtime: Pick<RuntimeService, 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An additional problem with the runtime, if any. */
  readonly alsoWrong?: () => string | undefined;
  /** The node is shutting down: pods keep running until they are terminated. */
  readonly shutdown?: () => string | undefined;
  /** Interval of status checks; five seconds by default. */
  readonly healthPeriod?: Millis;
  /** Called when the runtime, or its network, works again. */
  readonly onRecovered: () => void;
}

/** Interval of runtime status checks. */
const periodMs: Millis = 5_000;
/** Time without a response after which the runtime counts as down. */
const patienceMs: Millis = 30_000;

/** Reports problems of the container runtime and of its network, with the messages of conditions and events. */
export class RuntimeHealth implements Disposable {
  readonly #options: RuntimeHealthOptions;
  #asking: Disposable | undefined;
  #request: Promise<void> | undefined;
  #answeredAt: Millis | undefined;
  #conditions: readonly RuntimeCondition[] = [];
  #handlers: readonly RuntimeHandler[] = [];
  #features: RuntimeFeatures | undefined;

  constructor(options: RuntimeHealthOptions) {
    this.#options = options;
  }

  /** Starts the status checks of the runtime; with one at once if the last response is too old. */
  watch(): void {
    if (this.#asking) return;
    const { clock, healthPeriod = periodMs } = this.#options;
    this.#asking = every(clock, healthPeriod, () => void this.refresh());
    if (this.#silence() !== undefined) void this.refresh();
  }

  /** While it is set, no pod is synced. */
  get runtimeProblem(): string | undefined {
    return this.#silence() ?? this.#options.alsoWrong?.() ?? this.#unmet('RuntimeReady', 'container runtime not ready');
  }

  /** While it is set, no pod with its own network is synced. */
  get networkProblem(): string | undefined {
    return this.#unmet('NetworkReady', 'container runtime network not ready');
  }

  /** Whether the runtime, or its handler of that name, supports user namespaces. */
  supportsUserNamespaces(handler: string): boolean {
    return this.#handlers.some(({ name = '', features }) => name === handler && features?.userNamespaces === true);
  }

  /** The features that the runtime reports; runtimes before CRI v0.31 report none. */
  get features(): RuntimeFeatures | undefined {
    return this.#features;
  }

  /** Why the node is not ready. */
  get problems(): readonly string[] {
    return [this.runtimeProblem, this.networkProblem, this.#options.shutdown?.()].filter(
      (problem) => problem !== undefined,
    );
  }

  /** Requests the status. One request at a time: a runtime that hangs would have to answer all of them. */
  refresh(): Promise<void> {
    this.#request ??= this.#ask().finally(() => {
      this.#request = undefined;
    });
    return this.#request;
  }

  async #ask(): Promise<void> {
    const { runtime, clock, logger, onRecovered } = this.#options;
    const before = this.problems.length;
    try {
      const { status, runtimeHandlers = [], features } = await runtime.status({});
      this.#features = features;
      this.#handlers = runtimeHandlers;
      this.#conditions = status?.conditions ?? [];
      this.#answeredAt = monotonicNow(clock);
    } catch (error) {
      logger.error('Failed to get the status of the container runtime', { error });
    }
    if (this.problems.length < before) onRecovered();
  }

  [Symbol.dispose](): void {
    this.#asking?.[Symbol.dispose]();
  }

  #silence(): string | undefined {
    if (this.#answeredAt === undefined) return 'container runtime status check may not have completed yet';
    return monotonicNow(this.#options.clock) - this.#answeredAt > patienceMs ? 'container runtime is down' : undefined;
  }

  #unmet(type: string, text: string): string | undefined {
    const condition = this.#conditions.find((one) => one.type === type);
    if (condition?.status) return undefined;
    const { reason = '', message = '' } = condition ?? {};
    return `${text}: ${type}=false reason:${reason} message:${message}`;
  }
}
