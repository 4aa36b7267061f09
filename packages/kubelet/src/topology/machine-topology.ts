/** A logical CPU, and what it shares with others. */
export interface Cpu {
  readonly id: number;
  /** Unique on the machine. */
  readonly core: number;
  readonly socket: number;
  readonly numaNode: number;
}

/** The topology of the machine, as far as it matters for placement. */
export interface MachineTopology {
  readonly cpus: readonly Cpu[];
  /** Bytes of memory by NUMA node; amounts of other resources, such as `hugepages-2Mi`, beside it. */
  readonly memory: ReadonlyMap<number, Readonly<Record<string, number>>>;
}

export function numaNodesOf({ cpus, memory }: MachineTopology): number[] {
  return [...new Set([...cpus.map(({ numaNode }) => numaNode), ...memory.keys()])].sort((a, b) => a - b);
}

/** How many CPUs share a core. */
export function threadsPerCore({ cpus }: MachineTopology): number {
  const cores = new Set(cpus.map(({ core }) => core)).size;
  return cores === 0 ? 1 : Math.max(1, Math.floor(cpus.length / cores));
}
