import type { Container, ContainerStatus, Pod, Probe } from '@coracle/api';
import { type Clock, type Millis, messageOf, monotonicNow, type Random } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { RuntimeService } from '@coracle/cri';
import type { ProbeVerdicts } from '../compute-pod-actions.js';
import { containerReference } from '../container-reference.js';
import { isSidecar } from '../restart-policy.js';
import { isRunning, millisOf, newestContainer, podAddresses, type RuntimePod } from '../runtime-pod.js';
import type { ProbeResults } from '../status/container-status.js';
import type { ProbeCounts } from './probe-counts.js';
import { ProbeWorker } from './probe-worker.js';
import type { ProbeKind, ProbeRequest, Prober } from './prober.js';

export interface ProbeManagerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly runtime: RuntimeService;
  readonly prober: Prober;
  readonly recorder: EventRecorder;
  /** Called when a result has changed, and with it perhaps the pod's status or its actions. */
  readonly onChange: (podUid: string) => void;
  readonly counts: ProbeCounts;
  /** The node's addresses. */
  readonly hostIps: readonly string[];
}

/** The probes of one running container. */
interface Probed {
  readonly podUid: string;
  readonly workers: Partial<Record<ProbeKind, ProbeWorker>>;
  failed: 'startup' | 'liveness' | undefined;
}

/** Probes containers, and holds the results. A container without a probe is healthy. */
export class ProbeManager implements ProbeResults, ProbeVerdicts, Disposable {
  readonly #options: ProbeManagerOptions;
  readonly #startedAt: Millis;
  /** The same on the clock that is never set. */
  readonly #madeAt: Millis;
  /** By container id. */
  readonly #probed = new Map<string, Probed>();
  /** The containers of each pod that are probed. */
  readonly #byPod = new Map<string, Set<string>>();
  /** Pods that are being terminated. */
  readonly #endingPods = new Set<string>();
  #stopped = false;

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#madeAt = monotonicNow(options.clock);
  }

  isStarted(containerId: string): boolean {
    return this.#probed.get(containerId)?.workers.startup?.healthy ?? true;
  }

  isReady(containerId: string): boolean {
    return this.#probed.get(containerId)?.workers.readiness?.healthy ?? true;
  }

  failedProbe(containerId: string): 'startup' | 'liveness' | undefined {
    return this.#probed.get(containerId)?.failed;
  }

  /** Starts probes for containers that have started, and ends those of stopped ones. */
  follow(pod: Pod, state: RuntimePod): void {
    const uid = pod.metadata.uid ?? '';
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const probed = [...initContainers.filter(isSidecar), ...containers].filter(hasProbe);
    // A pass that was in progress when the kubelet stopped still reports: no probes are started for it.
    if (probed.length === 0 || this.#stopped) return;
    const running = new Set<string>();
    for (const container of probed) {
      const status = newestContainer(state, container.name);
      if (!status?.id || !isRunning(status)) continue;
      running.add(status.id);
      if (!this.#probed.has(status.id))
        this.#begin({ pod, container, state, id: status.id, startedAt: status.startedAt });
    }
    for (const id of this.#byPod.get(uid) ?? []) if (!running.has(id)) this.#end(id);
  }

  /** The pod is terminating: failures restart nothing. Readiness is still probed until the end. */
  ending(podUid: string): void {
    this.#endingPods.add(podUid);
    for (const id of this.#byPod.get(podUid) ?? []) {
      const { startup, liveness } = this.#probed.get(id)?.workers ?? {};
      startup?.[Symbol.dispose]();
      liveness?.[Symbol.dispose]();
    }
  }

  forget(podUid: string): void {
    this.#endingPods.delete(podUid);
    for (const id of this.#byPod.get(podUid) ?? []) this.#end(id);
    this.#byPod.delete(podUid);
    this.#options.counts.forget(podUid);
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const uid of [...this.#byPod.keys()]) this.forget(uid);
  }

  #begin(start: {
    readonly pod: Pod;
    readonly container: Container;
    readonly state: RuntimePod;
    readonly id: string;
    readonly startedAt: number | undefined;
  }): void {
    const { pod, container, state, id } = start;
    const podUid = pod.metadata.uid ?? '';
    const probed: Probed = { podUid, workers: {}, failed: undefined };
    this.#probed.set(id, probed);
    const ofPod = this.#byPod.get(podUid) ?? new Set();
    this.#byPod.set(podUid, ofPod.add(id));
    const startedAt = millisOf(start.startedAt);
    const [podIp = ''] = podAddresses(pod, state, this.#options.hostIps);
    const oldStatus = startedAt < this.#startedAt ? knownOf(pod, id) : undefined;
    for (const [kind, probe] of probesOf(container)) {
      // Once it has succeeded, the startup probe does not run again.
      if (kind === 'startup' && oldStatus?.started) continue;
      if (kind !== 'readiness' && this.#endingPods.has(podUid)) continue;
      const request = { kind, pod, container, containerId: id, probe, podIp };
      probed.workers[kind] = new ProbeWorker({
        ...this.#options,
        request,
        count: (...result) => this.#options.counts.add(...result),
        startedAt,
        holdOffMs: this.#holdOff(startedAt, probe),
        initially: kind === 'readiness' ? oldStatus?.ready : undefined,
        mayProbe: () => kind === 'startup' || this.isStarted(id),
        onChange: (healthy) => this.#changed(probed, kind, healthy),
        onFailure: ({ output }) => this.#tell(request, 'Unhealthy', `probe failed: ${output}`),
        onWarning: ({ output }) => this.#tell(request, 'ProbeWarning', `probe warning: ${output}`),
        onError: (error) => this.#tell(request, 'Unhealthy', `probe errored: ${messageOf(error)}`),
      });
    }
  }

  /** Containers that were running at the start of the kubelet are probed within one period, not all at once. */
  #holdOff(startedAt: Millis, { periodSeconds = 10 }: Probe): Millis {
    const { clock, random } = this.#options;
    const isFound = startedAt < this.#startedAt && monotonicNow(clock) - this.#madeAt < periodSeconds * 1_000;
    return isFound ? random.next() * periodSeconds * 1_000 : 0;
  }

  #changed(probed: Probed, kind: ProbeKind, healthy: boolean): void {
    if (!healthy && kind !== 'readiness') probed.failed = kind;
    if (healthy && kind === 'startup') {
      probed.workers.startup?.[Symbol.dispose]();
      probed.workers.readiness?.trigger();
      probed.workers.liveness?.trigger();
    }
    this.#options.onChange(probed.podUid);
  }

  #tell({ kind, pod, container }: ProbeRequest, reason: string, what: string): void {
    this.#options.recorder.event(containerReference(pod, container), 'Warning', reason, `${nameOf(kind)} ${what}`);
  }

  #end(id: string): void {
    const probed = this.#probed.get(id);
    for (const worker of Object.values(probed?.workers ?? {})) worker[Symbol.dispose]();
    this.#probed.delete(id);
    this.#byPod.get(probed?.podUid ?? '')?.delete(id);
  }
}

/** The API's status of a container from before this kubelet started. */
function knownOf({ status = {} }: Pod, id: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses].find(({ containerID }) => containerID?.endsWith(`//${id}`));
}

/** As in messages: `Liveness`. */
function nameOf(kind: ProbeKind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

function probesOf({ startupProbe, readinessProbe, livenessProbe }: Container): [ProbeKind, Probe][] {
  const all: [ProbeKind, Probe | undefined][] = [
    ['startup', startupProbe],
    ['readiness', readinessProbe],
    ['liveness', livenessProbe],
  ];
  return all.flatMap(([kind, probe]) => (probe ? [[kind, probe] as [ProbeKind, Probe]] : []));
}

function hasProbe({ startupProbe, readinessProbe, livenessProbe }: Container): boolean {
  return Boolean(startupProbe ?? readinessProbe ?? livenessProbe);
}
