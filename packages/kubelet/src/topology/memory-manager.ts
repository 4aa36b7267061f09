import { type Container, computeQosClass, type Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import type { Checkpoints } from '../checkpoints.js';
import type { KubeletSettings } from '../settings.js';
import { checksumOf } from './checkpoint-checksum.js';
import { formatCpuSet } from './cpu-set.js';
import { type MachineTopology, numaNodesOf } from './machine-topology.js';
import { choicesOf, type HintProvider, type Hints, hintsFor } from './topology-hints.js';

export interface MemoryManagerOptions {
  readonly topology: MachineTopology;
  readonly settings: Pick<KubeletSettings, 'reservedMemory'>;
  readonly checkpoints: Checkpoints;
}

/** Memory of one type that a container has, with its NUMA nodes. */
export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  /** `memory`, `hugepages-2Mi`. */
  readonly type: string;
  readonly size: number;
}

const checkpointName = 'memory_manager_state';

/** The static policy: memory of guaranteed pods is pinned to as few NUMA nodes as possible. */
export class MemoryManager implements HintProvider {
  readonly #options: MemoryManagerOptions;
  readonly #nodes: readonly number[];
  /** By pod, then by container. */
  readonly #assignments = new Map<string, Map<string, readonly MemoryBlock[]>>();

  constructor(options: MemoryManagerOptions) {
    this.#options = options;
    this.#nodes = numaNodesOf(options.topology);
    if (options.settings.reservedMemory.length === 0)
      throw new Error('the static memory manager policy requires reservedMemory of at least one NUMA node');
    const unknown = options.settings.reservedMemory.find(({ numaNode }) => !this.#nodes.includes(numaNode));
    if (unknown) throw new Error(`reservedMemory: the machine has no NUMA node ${unknown.numaNode}`);
  }

  /** Restores the allocations from before a restart. */
  async start(): Promise<void> {
    const text = await this.#options.checkpoints.read(checkpointName);
    if (text === undefined) return;
    const { policyName, entries = {} } = JSON.parse(text) as Checkpoint;
    if (policyName !== 'Static')
      throw new Error(
        `could not restore state from checkpoint: [memorymanager] configured policy "Static" differs from state checkpoint policy ${JSON.stringify(policyName)}, please drain this node and delete the memory manager checkpoint file ${JSON.stringify(checkpointName)} before restarting Kubelet`,
      );
    for (const [uid, containers] of Object.entries(entries))
      this.#assignments.set(uid, new Map(Object.entries(containers)));
  }

  /** NUMA hints for each type of memory. */
  hints(pod: Pod, container: Container): Hints {
    const held = this.of(uidOf(pod), container.name);
    return wantedMemory(pod, container).map(([type, size]) => {
      const mine = held.find((block) => block.type === type);
      if (mine) return [{ nodes: mine.numaAffinity, preferred: true }];
      return hintsFor(size, this.#nodes, this.#amounts(type));
    });
  }

  /** Allocates memory to the container, from these NUMA nodes if they have enough. Throws if that is not possible. */
  async allocate(pod: Pod, container: Container, nodes: readonly number[] | undefined): Promise<void> {
    const memory = wantedMemory(pod, container);
    if (memory.length === 0 || this.of(uidOf(pod), container.name).length > 0) return;
    const blocks = memory.map(([type, size]) => ({ numaAffinity: this.#choose(type, size, nodes), type, size }));
    const ofPod = this.#assignments.get(uidOf(pod)) ?? new Map<string, readonly MemoryBlock[]>();
    this.#assignments.set(uidOf(pod), ofPod.set(container.name, blocks));
    await this.#save();
  }

  of(podUid: string, container: string): readonly MemoryBlock[] {
    return this.#assignments.get(podUid)?.get(container) ?? [];
  }

  /** The NUMA nodes of a container's memory, in the kernel's format; empty for any. */
  memsOf({ metadata }: Pod, { name }: Container): string {
    const blocks = this.of(metadata.uid ?? '', name);
    return formatCpuSet(new Set(blocks.flatMap(({ numaAffinity }) => numaAffinity)));
  }

  /** Releases the memory of pods without running containers. */
  async release(isActive: (podUid: string) => boolean): Promise<void> {
    const gone = [...this.#assignments.keys()].filter((uid) => !isActive(uid));
    for (const uid of gone) this.#assignments.delete(uid);
    if (gone.length > 0) await this.#save();
  }

  #choose(type: string, size: number, nodes: readonly number[] | undefined): readonly number[] {
    const { free } = this.#amounts(type);
    if (nodes && free(nodes) >= size) return nodes;
    const choice = choicesOf(this.#nodes).find((one) => free(one) >= size);
    if (!choice) throw new Error('[memorymanager] failed to find NUMA nodes to extend the current topology hint');
    return choice;
  }

  #amounts(type: string) {
    const total = (nodes: readonly number[]) => nodes.reduce((sum, node) => sum + this.#allocatable(node, type), 0);
    const free = (nodes: readonly number[]) => total(nodes) - this.#taken(nodes, type);
    return { total, free };
  }

  #allocatable(node: number, type: string): number {
    const { topology, settings } = this.#options;
    const reserved = settings.reservedMemory.find(({ numaNode }) => numaNode === node)?.limits[type] ?? '0';
    return Math.max(0, (topology.memory.get(node)?.[type] ?? 0) - parseQuantity(reserved).value());
  }

  /** Allocated memory of these nodes. A block on several nodes counts in full for each of them. */
  #taken(nodes: readonly number[], type: string): number {
    const blocks = [...this.#assignments.values()].flatMap((ofPod) => [...ofPod.values()].flat());
    const here = blocks.filter(
      (block) => block.type === type && block.numaAffinity.some((node) => nodes.includes(node)),
    );
    return here.reduce((sum, { size }) => sum + size, 0);
  }

  async #save(): Promise<void> {
    const entries = Object.fromEntries([...this.#assignments].map(([uid, ofPod]) => [uid, Object.fromEntries(ofPod)]));
    const state = { policyName: 'Static', entries };
    await this.#options.checkpoints.write(checkpointName, JSON.stringify({ ...state, checksum: checksumOf(state) }));
  }
}

interface Checkpoint {
  readonly policyName: string;
  readonly entries?: Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;
}

/** The memory to pin: of guaranteed pods only. */
function wantedMemory(pod: Pod, { resources }: Container): [string, number][] {
  if ((pod.status?.qosClass ?? computeQosClass(pod)) !== 'Guaranteed') return [];
  return Object.entries(resources?.requests ?? resources?.limits ?? {})
    .filter(([name]) => name === 'memory' || name.startsWith('hugepages-'))
    .map(([name, amount]): [string, number] => [name, parseQuantity(amount).value()])
    .filter(([, size]) => size > 0);
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
