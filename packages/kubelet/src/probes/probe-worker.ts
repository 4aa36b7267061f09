import { type Clock, type Millis, monotonicNow, sleep } from '@coracle/base';
import { isCriError, type RuntimeService } from '@coracle/cri';
import type { ProbeOutcome } from './probe-counts.js';
import type { ProbeRequest, ProbeResult, Prober } from './prober.js';

export interface ProbeWorkerOptions {
  readonly clock: Clock;
  readonly runtime: RuntimeService;
  readonly prober: Prober;
  readonly request: ProbeRequest;
  /** When the container started. */
  readonly startedAt: Millis;
  /** Minimum delay of the first probe. */
  readonly holdOffMs?: Millis;
  /** The previous state of the container; by default it counts as alive, but neither as started nor as ready. */
  readonly initially?: boolean | undefined;
  /** Called when the result has changed, after as many equal results as the threshold requires. */
  readonly onChange: (healthy: boolean) => void;
  /** Called for each failure, also below the threshold. */
  readonly onFailure: (result: ProbeResult) => void;
  /** Called for a success with a warning. */
  readonly onWarning: (result: ProbeResult) => void;
  /** Called if the probe could not be executed, which does not count as a failure. */
  readonly onError: (error: unknown) => void;
  /** Called with each result. */
  readonly count?: ((request: ProbeRequest, outcome: ProbeOutcome) => void) | undefined;
  /** False until the startup probe has succeeded: other probes wait. */
  readonly mayProbe: () => boolean;
}

const mostAttempts = 3;
/** Reason of an aborted probe. Passed explicitly, because a default reason with its stack costs more than the rest. */
const unwanted = 'the probe is not wanted any more';

/** Runs one probe of one container, once per period, until it is disposed. */
export class ProbeWorker implements Disposable {
  readonly #options: ProbeWorkerOptions;
  /** When the initial delay ends, on the clock that is never set. */
  readonly #firstAt: Millis;
  #healthy: boolean;
  #sameInRow = 0;
  #last: boolean | undefined;
  #timer: Disposable | undefined;
  /** Ends the current probe. */
  #aborter: AbortController | undefined;
  #stopped = false;

  constructor(options: ProbeWorkerOptions) {
    this.#options = options;
    const initialMs = (options.request.probe.initialDelaySeconds ?? 0) * 1_000;
    const ageMs = Math.max(0, options.clock.now() - options.startedAt);
    this.#firstAt = monotonicNow(options.clock) + Math.max(0, initialMs - ageMs);
    this.#healthy = options.initially ?? options.request.kind === 'liveness';
    this.#schedule(Math.max(options.holdOffMs ?? 0, this.#firstDelay()));
  }

  get healthy(): boolean {
    return this.#healthy;
  }

  /** Probes now rather than at the end of the period. */
  trigger(): void {
    if (this.#timer) this.#schedule(this.#firstDelay());
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#aborter?.abort(unwanted);
  }

  #firstDelay(): Millis {
    return Math.max(0, this.#firstAt - monotonicNow(this.#options.clock));
  }

  #schedule(delayMs: Millis): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.clock.schedule(delayMs, () => {
      this.#timer = undefined;
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    const { mayProbe, request } = this.#options;
    if (mayProbe()) {
      const result = await this.#persist();
      if (result) this.#count(result);
    }
    if (!this.#stopped) this.#schedule((request.probe.periodSeconds ?? 10) * 1_000);
  }

  #count(result: ProbeResult): void {
    if (this.#stopped) return;
    const { request, onChange, onFailure, onWarning } = this.#options;
    const { failureThreshold = 3, successThreshold = 1 } = request.probe;
    const healthy = result.outcome !== 'failure';
    this.#sameInRow = healthy === this.#last ? this.#sameInRow + 1 : 1;
    this.#last = healthy;
    if (!healthy) onFailure(result);
    if (result.outcome === 'warning') onWarning(result);
    if (this.#sameInRow < (healthy ? successThreshold : failureThreshold)) return;
    const changed = healthy !== this.#healthy || (!healthy && request.kind === 'startup');
    this.#healthy = healthy;
    // A container that reached its failure threshold is killed; the next one has its own worker.
    if (!healthy && request.kind !== 'readiness') this[Symbol.dispose]();
    if (changed) onChange(healthy);
  }

  /** Retries an execution error at once; `undefined` if every attempt failed. */
  async #persist(): Promise<ProbeResult | undefined> {
    const { count, request } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#probe();
        if (this.#stopped) return undefined;
        count?.(request, result.outcome === 'failure' ? 'failed' : 'successful');
        return result;
      } catch (error) {
        if (this.#stopped) return undefined;
        if (attempt < mostAttempts) continue;
        count?.(request, 'unknown');
        this.#options.onError(error);
        return undefined;
      }
    }
  }

  async #probe(): Promise<ProbeResult> {
    const { clock, prober, request } = this.#options;
    if (request.probe.exec) return this.#execute();
    const timeoutMs = (request.probe.timeoutSeconds ?? 1) * 1_000;
    const aborter = new AbortController();
    this.#aborter = aborter;
    const late = sleep(clock, timeoutMs, aborter.signal).then(
      (): ProbeResult => ({ outcome: 'failure', output: 'context deadline exceeded' }),
      (): ProbeResult => ({ outcome: 'failure', output: '' }),
    );
    try {
      return await Promise.race([prober.probe(request, aborter.signal), late]);
    } finally {
      aborter.abort(unwanted);
      this.#aborter = undefined;
    }
  }

  /**
   * The runtime ends a command that takes too long, counted from its start: a runtime that is slow to start it, on a busy
   * machine, is no failure of the container.
   */
  async #execute(): Promise<ProbeResult> {
    const { runtime, request } = this.#options;
    const { timeoutSeconds = 1, exec } = request.probe;
    try {
      const {
        exitCode = 0,
        stdout,
        stderr,
      } = await runtime.execSync({
        containerId: request.containerId,
        cmd: exec?.command ?? [],
        timeout: timeoutSeconds,
      });
      const decoder = new TextDecoder();
      const output = decoder.decode(stdout) + decoder.decode(stderr);
      return { outcome: exitCode === 0 ? 'success' : 'failure', output };
    } catch (error) {
      if (!isCriError(error, 'DeadlineExceeded')) throw error;
      return { outcome: 'failure', output: timedOutText(request) };
    }
  }
}

function timedOutText({ probe }: ProbeRequest): string {
  const command = JSON.stringify((probe.exec?.command ?? []).join(' '));
  return `command timed out: ${command} timed out after ${probe.timeoutSeconds ?? 1}s`;
}
