import type { Container, Pod } from '@coracle/api';
import type { Checkpoints } from '../checkpoints.js';
import type { KubeletSettings } from '../settings.js';
import { CpuManager } from './cpu-manager.js';
import { type MachineTopology, numaNodesOf } from './machine-topology.js';
import { MemoryManager } from './memory-manager.js';
import { PinningError } from './pinning-error.js';
import { type HintProvider, type Hints, mergeHints, type TopologyPolicy } from './topology-hints.js';

export interface PodPinningOptions {
  readonly topology: MachineTopology;
  readonly settings: KubeletSettings;
  readonly checkpoints: Checkpoints;
  /** Devices of plugins, which have NUMA affinity. */
  readonly devices?: HintProvider | undefined;
  /** The CPUs of containers in the shared pool must be updated. */
  readonly onChange: () => void;
}

/** The CPUs and memory nodes of a container, for the runtime. */
export interface Pinning {
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

/**
 * The topology manager: allocates devices, exclusive CPUs and memory to containers according to the policies of the
 * node.
 */
export class PodPinning {
  readonly #options: PodPinningOptions;
  readonly cpus: CpuManager | undefined;
  readonly memory: MemoryManager | undefined;
  readonly #providers: readonly HintProvider[];
  /** Pods are allocated one at a time, so that resources of a hint are still free when it is used. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PodPinningOptions) {
    this.#options = options;
    const { cpuManagerPolicy, memoryManagerPolicy } = options.settings;
    this.cpus = cpuManagerPolicy === 'static' ? new CpuManager(options) : undefined;
    this.memory = memoryManagerPolicy === 'Static' ? new MemoryManager(options) : undefined;
    this.#providers = [this.cpus, this.memory, options.devices].filter((provider) => provider !== undefined);
  }

  /** Why guaranteed pods cannot be resized, if they cannot. */
  static policyThatPins({ cpuManagerPolicy, memoryManagerPolicy }: KubeletSettings): string | undefined {
    if (cpuManagerPolicy === 'static') return 'CPU Manager static policy';
    return memoryManagerPolicy === 'Static' ? 'Memory Manager static policy' : undefined;
  }

  async start(): Promise<void> {
    await this.cpus?.start();
    await this.memory?.start();
  }

  /**
   * Allocates for every container of the pod that has no allocation yet. Throws the reason why the pod cannot run here.
   */
  prepare(pod: Pod): Promise<void> {
    const turn = this.#turn.then(() => this.#prepare(pod));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  of(pod: Pod, container: Container): Pinning {
    const cpusetCpus = this.cpus?.cpusetOf(pod, container);
    const cpusetMems = this.memory?.memsOf(pod, container);
    return { ...(cpusetCpus && { cpusetCpus }), ...(cpusetMems && { cpusetMems }) };
  }

  async release(isActive: (podUid: string) => boolean): Promise<void> {
    await this.cpus?.release(isActive);
    await this.memory?.release(isActive);
  }

  async #prepare(pod: Pod): Promise<void> {
    const { topologyManagerScope, topologyManagerPolicy } = this.#options.settings;
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    const ofPod = topologyManagerScope === 'pod' ? this.#decide(topologyManagerPolicy, pod, containers) : undefined;
    for (const container of containers) {
      const nodes = ofPod ? ofPod.nodes : this.#decide(topologyManagerPolicy, pod, [container]).nodes;
      for (const provider of this.#providers) await provider.allocate(pod, container, nodes);
    }
  }

  #decide(policy: TopologyPolicy, pod: Pod, containers: readonly Container[]): ReturnType<typeof mergeHints> {
    const allNodes = numaNodesOf(this.#options.topology);
    const hints: Hints = containers.flatMap((container) =>
      this.#providers.flatMap((provider) => provider.hints(pod, container, allNodes)),
    );
    const verdict = mergeHints(policy, allNodes, hints);
    if (!verdict.admitted)
      throw new PinningError('TopologyAffinityError', 'Resources cannot be allocated with Topology locality');
    return verdict;
  }
}
