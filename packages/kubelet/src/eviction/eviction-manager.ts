import { computeQosClass, type Pod, toleratesAny } from '@coracle/api';
import {
  type Activity,
  type Clock,
  every,
  type Logger,
  type Metrics,
  type Millis,
  monotonicNow,
  noMetrics,
  sleep,
} from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { PodRejection } from '../admit-pod.js';
import { nodeReference, podReference } from '../container-reference.js';
import type { HostUsage, HostUsageSource } from '../host-usage.js';
import type { PressureCondition } from '../node-conditions.js';
import type { PodFailure } from '../pod-failure.js';
import type { KubeletSettings } from '../settings.js';
import { evaluateThresholds, isCrossed, noPressure, type PressureState } from './evaluate-thresholds.js';
import { evictionMessage } from './eviction-message.js';
import { EvictionMetrics } from './eviction-metrics.js';
import { isCritical } from './is-critical.js';
import { limitsLocalStorage, localStorageExcess } from './local-storage.js';
import { type PodUsage, type PodUsageParts, readPodUsage } from './pod-usage.js';
import { rankPods } from './rank-pods.js';
import { isHard, signals, type Threshold, thresholdsOf } from './thresholds.js';

export interface EvictionManagerOptions extends PodUsageParts {
  readonly nodeName: string;
  readonly settings: KubeletSettings;
  /** Measures available resources; without it no pod is evicted. */
  readonly host: HostUsageSource | undefined;
  /** Interval of measurements; ten seconds by default. */
  readonly evictionPeriod?: Millis;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  readonly metrics?: Metrics;
  /** The pods that may run. */
  readonly activePods: () => readonly Pod[];
  /** Stops the pod with this grace period in seconds. Resolves when no container runs. */
  readonly evict: (pod: Pod, failure: PodFailure, graceSeconds: number) => Promise<void>;
  /** Resolves when the volumes of an ended pod are removed. */
  readonly released: (pod: Pod) => Promise<void>;
  /** Removes dead containers and unused images. */
  readonly reclaimDisk: () => Promise<void>;
}

/** Waits for the termination of evicted pods. */
type Leaving = readonly Promise<unknown>[];

const periodMs: Millis = 10_000;
/** Maximum time to wait for the termination of an evicted pod before the next measurement. */
const cleanupMs: Millis = 30_000;
const cleanupPollMs: Millis = 1_000;
/** Grace period for hard thresholds, in seconds. */
const immediateGraceSeconds = 1;

/** Protects a node from running out of memory, disk and processes: reports pressure, and evicts pods. */
export class EvictionManager implements Disposable {
  readonly #options: EvictionManagerOptions;
  readonly #thresholds: readonly Threshold[];
  #metrics: EvictionMetrics | undefined;
  readonly #looking: Disposable | undefined;
  #state: PressureState = noPressure;
  #busy = false;
  #ended = false;
  /** Created when a pod is waited for: there are many kubelets, and they rarely evict. */
  #ending: AbortController | undefined;

  constructor(options: EvictionManagerOptions) {
    this.#options = options;
    this.#thresholds = thresholdsFor(options.settings);
    this.#looking = options.host && every(options.clock, options.evictionPeriod ?? periodMs, () => void this.look());
  }

  /** The current pressure conditions. */
  get conditions(): ReadonlySet<PressureCondition> {
    return this.#state.conditions;
  }

  /** Why the node takes no such pods under pressure. */
  refusalOf(pod: Pod): PodRejection | undefined {
    const { conditions } = this.#state;
    if (conditions.size === 0 || isCritical(pod)) return undefined;
    if (conditions.size === 1 && conditions.has('MemoryPressure')) {
      if (computeQosClass(pod) !== 'BestEffort') return undefined;
      if (toleratesAny(pod.spec?.tolerations, memoryTaint)) return undefined;
    }
    return { reason: evicted, message: `The node had condition: [${[...conditions].join(' ')}]. ` };
  }

  /** Measures and evicts, and repeats that as long as pods have to be evicted. */
  async look(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    const work = this.#options.activity.begin();
    try {
      while (!this.#ended) {
        const leaving = await this.#synchronize();
        if (leaving.length === 0) break;
        // Termination takes time: the manager does not wait for it.
        work[Symbol.dispose]();
        await this.#cleanedUp(Promise.all(leaving));
      }
    } catch (error) {
      this.#options.logger.error('Eviction manager failed to reclaim resources', { error });
    } finally {
      this.#busy = false;
      work[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#ending?.abort('the kubelet ends');
    this.#looking?.[Symbol.dispose]();
  }

  /** Evicts at most one pod, unless several exceed their limits. */
  async #synchronize(): Promise<Leaving> {
    const { host, clock, settings } = this.#options;
    const usage = await host?.read();
    if (!usage) return [];
    const transitionMs = settings.evictionPressureTransitionPeriod;
    const now = monotonicNow(clock);
    const verdict = evaluateThresholds(this.#state, { thresholds: this.#thresholds, usage, now, transitionMs });
    this.#state = verdict.state;
    const excessive = await this.#evictExcessive();
    const [threshold] = verdict.toReclaim;
    if (excessive.length > 0 || !threshold) return excessive;
    const leaving = await this.#reclaim(threshold, usage);
    if (leaving.length > 0)
      for (const { signal } of verdict.toReclaim) this.#counts().decided(signal, monotonicNow(clock) - usage.at);
    return leaving;
  }

  /** Pods that exceed their ephemeral storage limits are evicted, whatever is available. */
  async #evictExcessive(): Promise<Leaving> {
    const { activePods } = this.#options;
    const limited = activePods().filter((pod) => limitsLocalStorage(pod) && !isCritical(pod));
    if (limited.length === 0) return [];
    const usages = await readPodUsage(this.#options, limited);
    return limited.flatMap((pod) => {
      const usage = usages.get(pod.metadata.uid ?? '');
      const excess = usage && localStorageExcess(pod, usage);
      return excess ? [this.#evict(pod, { ...excess, graceSeconds: immediateGraceSeconds })] : [];
    });
  }

  async #reclaim(threshold: Threshold, usage: HostUsage): Promise<Leaving> {
    const { recorder, nodeName, activePods, host } = this.#options;
    const { resource, condition } = signals[threshold.signal];
    const about = nodeReference(nodeName);
    recorder.event(about, 'Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (condition === 'DiskPressure') {
      await this.#options.reclaimDisk();
      const after = await host?.read();
      if (after && !this.#thresholds.some((one) => isCrossed(one, after, true))) return [];
    }
    const pods = activePods();
    const usages = await readPodUsage(this.#options, pods);
    const pod = rankPods(threshold.signal, pods, usages).find((one) => !isCritical(one));
    return pod ? [this.#evictFor(threshold, usage, { pod, usage: usages.get(pod.metadata.uid ?? '') })] : [];
  }

  #evictFor(
    threshold: Threshold,
    host: HostUsage,
    victim: { readonly pod: Pod; readonly usage: PodUsage | undefined },
  ): Promise<unknown> {
    const own = Number(victim.pod.spec?.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
    const softSeconds = Math.min(own, this.#options.settings.evictionMaxPodGracePeriod);
    const graceSeconds = isHard(threshold) ? immediateGraceSeconds : softSeconds;
    const { signal } = threshold;
    return this.#evict(victim.pod, { ...evictionMessage(victim, threshold, host), signal, graceSeconds });
  }

  /** Memory and disk space of a pod are free only when its volumes are removed. */
  async #evict(
    pod: Pod,
    {
      signal,
      message,
      annotations,
      graceSeconds,
    }: {
      readonly signal: string;
      readonly message: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly graceSeconds: number;
    },
  ): Promise<void> {
    const { recorder, evict, released } = this.#options;
    this.#counts().evicted(signal);
    recorder.event(podReference(pod), 'Warning', evicted, message, undefined, annotations);
    const disruption = { reason: 'TerminationByKubelet', message };
    await evict(pod, { reason: evicted, message, disruption }, graceSeconds);
    await released(pod);
  }

  #counts(): EvictionMetrics {
    this.#metrics ??= new EvictionMetrics(this.#options.metrics ?? noMetrics);
    return this.#metrics;
  }

  /** Resolves when the pods have terminated, or at the timeout; polled every second. */
  async #cleanedUp(leaving: Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#options;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    leaving.then(end, (error) => {
      logger.error('An evicted pod could not be stopped', { error });
      end();
    });
    this.#ending ??= new AbortController();
    const { signal } = this.#ending;
    for (let waited = 0; !isOver || waited === 0; waited += cleanupPollMs) {
      if (waited >= cleanupMs || signal.aborted) return;
      await sleep(clock, cleanupPollMs, signal).catch(() => undefined);
    }
  }
}

/** Cached by settings, which kubelets share. */
const thresholds = new WeakMap<KubeletSettings, readonly Threshold[]>();

function thresholdsFor(settings: KubeletSettings): readonly Threshold[] {
  const present = thresholds.get(settings);
  if (present) return present;
  const made = thresholdsOf(settings);
  thresholds.set(settings, made);
  return made;
}

const evicted = 'Evicted';
const memoryTaint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;
