/** A logical CPU, with its core, socket and NUMA node. */
export interface Cpu {
  readonly id: number;
  /** Unique on the machine. */
  readonly core: number;
  readonly socket: number;
  readonly numaNode: number;
}

/** The topology of the machine. */
export interface MachineTopology {
  readonly cpus: readonly Cpu[];
  /** Bytes of memory by NUMA node, and amounts of other resources such as `hugepages-2Mi`. */
  readonly memory: ReadonlyMap<number, Readonly<Record<string, number>>>;
}

export function numaNodesOf({ cpus, memory }: MachineTopology): number[] {
  return [...new Set([...cpus.map(({ numaNode }) => numaNode), ...memory.keys()])].sort((a, b) => a - b);
}

/** Number of CPUs per core. */
export function threadsPerCore({ cpus }: MachineTopology): number {
  const cores = new Set(cpus.map(({ core }) => core)).size;
  return cores === 0 ? 1 : Math.max(1, Math.floor(cpus.length / cores));
}
