import type { Pod } from '@coracle/api';
import { type Clock, type Logger, type Millis, messageOf } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import { nodeReference } from '../container-reference.js';
import type { KubeletSettings } from '../settings.js';
import type { CgroupHost } from './cgroup-host.js';
import { cgroupParent, cgroupPath, podUidIn } from './cgroup-name.js';
import {
  allPodsCgroup,
  allPodsLimits,
  podCgroup,
  podCgroupLimits,
  qosCgroup,
  qosCgroupLimits,
} from './plan-cgroups.js';

export interface PodCgroupsOptions {
  /** Absent where containers have no cgroups: none are created then. */
  readonly host: CgroupHost | undefined;
  readonly settings: KubeletSettings;
  readonly capacity: Readonly<Record<string, string>>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  /** All pods that may run. */
  readonly activePods: () => readonly Pod[];
}

/** Retry interval: the kernel rejects limits below the current usage of pods. */
const retryMs: Millis = 60_000;

/** Manages the cgroups of pods and QoS classes, in which the runtime puts containers. */
export class PodCgroups implements Disposable {
  readonly #options: PodCgroupsOptions;
  #prepared: Promise<void> | undefined;
  #retrying: Disposable | undefined;
  #stopped = false;
  #burstableShares = 0;

  constructor(options: PodCgroupsOptions) {
    this.#options = options;
  }

  /** Sets the limits of all pods together before the first pod; an event reports success or failure. */
  async start(): Promise<void> {
    const { host, clock, recorder, nodeName, settings } = this.#options;
    if (!host || this.#stopped) return;
    const node = nodeReference(nodeName);
    try {
      await this.#preparedBy(host);
      recorder.event(node, 'Normal', 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
    } catch (error) {
      const name = goList(allPodsCgroup(settings.cgroupRoot));
      const text = `Failed to update Node Allocatable Limits ${name}: ${messageOf(error)}`;
      recorder.event(node, 'Warning', 'FailedNodeAllocatableEnforcement', text);
      this.#retrying = clock.schedule(retryMs, () => void this.start());
    }
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#retrying?.[Symbol.dispose]();
  }

  /**
   * Creates the cgroup parent of a pod; `undefined` if containers have no cgroups. The error names the cgroup that
   * could not be created.
   */
  async make(pod: Pod): Promise<string | undefined> {
    const { host, settings } = this.#options;
    if (!host) return undefined;
    const name = podCgroup(settings.cgroupRoot, pod);
    try {
      await this.#preparedBy(host);
      await host.apply(this.#path(name), podCgroupLimits(pod, settings));
      await this.#updateBurstable(host);
    } catch (error) {
      throw new Error(`failed to create container for [${partsOf(name).join(' ')}] : ${messageOf(error)}`);
    }
    return cgroupParent(settings.cgroupDriver, name);
  }

  /** Removes the pod's limits, until `update` sets them again. */
  async relax(pod: Pod): Promise<void> {
    const { host, settings } = this.#options;
    await host?.apply(this.#path(podCgroup(settings.cgroupRoot, pod)), { cpuQuota: -1, memoryLimit: -1 });
  }

  /** Call it after the resources of a running pod have changed. */
  async update(pod: Pod): Promise<void> {
    const { host, settings } = this.#options;
    await host?.apply(this.#path(podCgroup(settings.cgroupRoot, pod)), podCgroupLimits(pod, settings));
  }

  /** Call it when no container of the pod runs any more. */
  async remove(pod: Pod): Promise<void> {
    const { host, settings } = this.#options;
    if (!host) return;
    // The QoS class of a pod without a spec is unknown.
    const classes = ['Guaranteed', 'Burstable', 'BestEffort'] as const;
    const names = classes.map((qos) => `${qosCgroup(settings.cgroupRoot, qos)}/pod${pod.metadata.uid}`);
    for (const name of names) await host.remove(this.#path(name));
    await this.#updateBurstable(host);
  }

  /** Removes what is left of pods that the node does not have. */
  async removeOrphans(isKnown: (uid: string) => boolean): Promise<void> {
    const { host, settings } = this.#options;
    if (!host) return;
    for (const qos of ['Guaranteed', 'Burstable', 'BestEffort'] as const) {
      const parent = qosCgroup(settings.cgroupRoot, qos);
      for (const child of await host.children(this.#path(parent))) {
        const uid = podUidIn(settings.cgroupDriver, parent, child);
        if (uid !== undefined && !isKnown(uid)) await host.remove(`${this.#path(parent)}/${child}`);
      }
    }
  }

  #preparedBy(host: CgroupHost): Promise<void> {
    this.#prepared ??= this.#prepare(host).catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  #path(name: string): string {
    return cgroupPath(this.#options.settings.cgroupDriver, name);
  }

  async #prepare(host: CgroupHost): Promise<void> {
    const { settings, capacity } = this.#options;
    const { cgroupRoot: root, systemReserved, kubeReserved } = settings;
    await host.apply(this.#path(allPodsCgroup(root)), allPodsLimits(capacity, [systemReserved, kubeReserved]));
    await host.apply(
      this.#path(qosCgroup(root, 'Burstable')),
      qosCgroupLimits('Burstable', this.#options.activePods()),
    );
    await host.apply(this.#path(qosCgroup(root, 'BestEffort')), qosCgroupLimits('BestEffort', []));
  }

  async #updateBurstable(host: CgroupHost): Promise<void> {
    const { settings, activePods } = this.#options;
    const limits = qosCgroupLimits('Burstable', activePods());
    if (limits.cpuShares === this.#burstableShares) return;
    this.#burstableShares = limits.cpuShares ?? 0;
    await host.apply(this.#path(qosCgroup(settings.cgroupRoot, 'Burstable')), limits);
  }
}

/** A cgroup as upstream's events name it: `["kubepods"]`. */
function goList(name: string): string {
  return `[${partsOf(name)
    .map((part) => JSON.stringify(part))
    .join(' ')}]`;
}

function partsOf(name: string): string[] {
  return name.split('/').filter((part) => part !== '');
}
