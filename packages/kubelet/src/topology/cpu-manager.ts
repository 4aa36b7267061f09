import { type Container, computeQosClass, type Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import type { Checkpoints } from '../checkpoints.js';
import { isSidecar } from '../restart-policy.js';
import type { KubeletSettings } from '../settings.js';
import { checksumOf } from './checkpoint-checksum.js';
import { formatCpuSet, parseCpuSet } from './cpu-set.js';
import { type MachineTopology, numaNodesOf, threadsPerCore } from './machine-topology.js';
import { PinningError } from './pinning-error.js';
import { takeCpus } from './take-cpus.js';
import { type HintProvider, type Hints, hintsFor } from './topology-hints.js';

export type CpuManagerSettings = Pick<
  KubeletSettings,
  'cpuManagerPolicyOptions' | 'reservedSystemCPUs' | 'systemReserved' | 'kubeReserved'
>;

export interface CpuManagerOptions {
  readonly topology: MachineTopology;
  readonly settings: CpuManagerSettings;
  readonly checkpoints: Checkpoints;
  /** Called when the shared pool has changed: containers that run on it must be updated. */
  readonly onChange: () => void;
}

const checkpointName = 'cpu_manager_state';
const fullCores = 'full-pcpus-only';

/**
 * The static policy: exclusive CPUs for containers of guaranteed pods that request whole CPUs; the others share the
 * rest.
 */
export class CpuManager implements HintProvider {
  readonly #options: CpuManagerOptions;
  readonly #all: ReadonlySet<number>;
  /** Reserved CPUs, which are never exclusive. */
  readonly #reserved: ReadonlySet<number>;
  /** By pod, then by container. */
  readonly #assignments = new Map<string, Map<string, readonly number[]>>();

  constructor(options: CpuManagerOptions) {
    this.#options = options;
    this.#all = new Set(options.topology.cpus.map(({ id }) => id));
    for (const name of Object.keys(options.settings.cpuManagerPolicyOptions))
      if (name !== fullCores) throw new Error(`unsupported cpumanager option: ${JSON.stringify(name)}`);
    this.#reserved = reservedOf(options);
  }

  /** Restores the allocations from before a restart. */
  async start(): Promise<void> {
    const text = await this.#options.checkpoints.read(checkpointName);
    if (text === undefined) return;
    const { policyName, entries = {} } = JSON.parse(text) as Checkpoint;
    if (policyName !== 'static')
      throw new Error(
        `could not restore state from checkpoint: configured policy "static" differs from state checkpoint policy ${JSON.stringify(policyName)}, please drain this node and delete the CPU manager checkpoint file ${JSON.stringify(checkpointName)} before restarting Kubelet`,
      );
    for (const [uid, containers] of Object.entries(entries))
      this.#assignments.set(uid, new Map(Object.entries(containers).map(([name, cpus]) => [name, parseCpuSet(cpus)])));
  }

  /** NUMA hints for the exclusive CPUs of the container, if it gets any. */
  hints(pod: Pod, container: Container): Hints {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return [];
    const held = this.of(uidOf(pod), container.name);
    const { topology } = this.#options;
    const numaOf = new Map(topology.cpus.map(({ id, numaNode }) => [id, numaNode]));
    const within = (cpus: Iterable<number>) => (nodes: readonly number[]) =>
      [...cpus].filter((cpu) => nodes.includes(numaOf.get(cpu) ?? -1)).length;
    const free = new Set([...this.#assignable(pod), ...held]);
    return [hintsFor(count, numaNodesOf(topology), { total: within(this.#all), free: within(free) })];
  }

  /** Allocates exclusive CPUs to the container, preferably from these NUMA nodes. Throws if that is not possible. */
  async allocate(pod: Pod, container: Container, nodes: readonly number[] | undefined): Promise<void> {
    const count = exclusiveCpus(pod, container);
    if (count === 0 || this.of(uidOf(pod), container.name).length > 0) return;
    const { topology, onChange } = this.#options;
    this.#refuseSplitCores(count);
    const free = this.#assignable(pod);
    const near = new Set(
      topology.cpus.flatMap(({ id, numaNode }) => (nodes?.includes(numaNode) && free.has(id) ? [id] : [])),
    );
    const first = near.size > 0 ? takeCpus(topology, near, Math.min(count, near.size)) : [];
    const rest = new Set([...free].filter((cpu) => !first.includes(cpu)));
    const cpus = [...first, ...takeCpus(topology, rest, count - first.length)];
    const ofPod = this.#assignments.get(uidOf(pod)) ?? new Map<string, readonly number[]>();
    this.#assignments.set(uidOf(pod), ofPod.set(container.name, cpus));
    await this.#save();
    onChange();
  }

  /** The exclusive CPUs of a container. */
  of(podUid: string, container: string): readonly number[] {
    return this.#assignments.get(podUid)?.get(container) ?? [];
  }

  /** The CPU set of a container, in the kernel's format. */
  cpusetOf({ metadata }: Pod, { name }: Container): string {
    const own = this.of(metadata.uid ?? '', name);
    return formatCpuSet(own.length > 0 ? own : this.shared());
  }

  /** The shared pool: CPUs that are not exclusive. */
  shared(): ReadonlySet<number> {
    const assignedCpus = new Set([...this.#assignments.values()].flatMap((ofPod) => [...ofPod.values()].flat()));
    return new Set([...this.#all].filter((cpu) => !assignedCpus.has(cpu)));
  }

  /** Releases the CPUs of pods without running containers. */
  async release(isActive: (podUid: string) => boolean): Promise<void> {
    const gone = [...this.#assignments.keys()].filter((uid) => !isActive(uid));
    if (gone.length === 0) return;
    for (const uid of gone) this.#assignments.delete(uid);
    await this.#save();
    this.#options.onChange();
  }

  /** The allocatable CPUs: the shared ones except the reserved ones, and those that init containers of the pod had. */
  #assignable(pod: Pod): ReadonlySet<number> {
    const shared = [...this.shared()].filter((cpu) => !this.#reserved.has(cpu));
    const inits = (pod.spec?.initContainers ?? []).filter((container) => !isSidecar(container));
    const ownCpus = (pod.spec?.containers ?? []).flatMap(({ name }) => this.of(uidOf(pod), name));
    const reusable = inits.flatMap(({ name }) => this.of(uidOf(pod), name)).filter((cpu) => !ownCpus.includes(cpu));
    return new Set([...shared, ...reusable]);
  }

  #refuseSplitCores(count: number): void {
    const { topology, settings } = this.#options;
    const threads = threadsPerCore(topology);
    if (settings.cpuManagerPolicyOptions[fullCores] !== 'true' || count % threads === 0) return;
    const why = `requested ${count} cpus not multiple cpus per core = ${threads}`;
    throw new PinningError('SMTAlignmentError', `SMT Alignment Error: ${why}`);
  }

  async #save(): Promise<void> {
    const entries = Object.fromEntries(
      [...this.#assignments].map(([uid, ofPod]) => [
        uid,
        Object.fromEntries([...ofPod].map(([name, cpus]) => [name, formatCpuSet(cpus)])),
      ]),
    );
    const state = { policyName: 'static', defaultCpuSet: formatCpuSet(this.shared()), entries };
    const text = JSON.stringify({ ...state, checksum: checksumOf(state) });
    await this.#options.checkpoints.write(checkpointName, text);
  }
}

interface Checkpoint {
  readonly policyName: string;
  readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Number of exclusive CPUs of a container; 0 unless its pod is guaranteed and it requests whole CPUs. */
function exclusiveCpus(pod: Pod, { resources }: Container): number {
  if ((pod.status?.qosClass ?? computeQosClass(pod)) !== 'Guaranteed') return 0;
  const milli = parseQuantity(resources?.requests?.['cpu'] ?? resources?.limits?.['cpu'] ?? '0').milliValue();
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

function reservedOf({ topology, settings }: CpuManagerOptions): ReadonlySet<number> {
  const all = new Set(topology.cpus.map(({ id }) => id));
  const stated = parseCpuSet(settings.reservedSystemCPUs);
  const unknown = stated.find((cpu) => !all.has(cpu));
  if (unknown !== undefined) throw new Error(`reservedSystemCPUs: the machine has no CPU ${unknown}`);
  if (stated.length > 0) return new Set(stated);
  const milli = [settings.systemReserved, settings.kubeReserved].reduce(
    (sum, reserved) => sum + parseQuantity(reserved['cpu'] ?? '0').milliValue(),
    0,
  );
  if (milli === 0)
    throw new Error('the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero');
  return new Set(takeCpus(topology, all, Math.ceil(milli / 1000)));
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
