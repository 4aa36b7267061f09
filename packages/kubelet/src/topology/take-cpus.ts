import type { Cpu, MachineTopology } from './machine-topology.js';

/**
 * Chooses `count` of the `available` CPUs, as close to each other as possible: whole sockets, then whole cores, then
 * single CPUs where cores are used already. Throws if there are too few.
 */
export function takeCpus(topology: MachineTopology, available: ReadonlySet<number>, count: number): number[] {
  if (count > available.size)
    throw new Error(`not enough cpus available to satisfy request: requested=${count}, available=${available.size}`);
  const free = new Set(available);
  const taken: number[] = [];
  const take = (cpus: readonly Cpu[]) => {
    for (const { id } of cpus) {
      free.delete(id);
      taken.push(id);
    }
  };
  for (const by of ['socket', 'core'] as const)
    for (const group of wholeGroups(topology, free, by)) if (group.length <= count - taken.length) take(group);
  take(bySharing(topology, free).slice(0, count - taken.length));
  return taken.sort((a, b) => a - b);
}

/** The sockets or cores of which every CPU is free, those first whose socket has the fewest free CPUs. */
function wholeGroups({ cpus }: MachineTopology, free: ReadonlySet<number>, by: 'socket' | 'core'): Cpu[][] {
  const groups = [...groupBy(cpus, by).values()].filter((group) => group.every(({ id }) => free.has(id)));
  const freeOf = countBy(
    cpus.filter(({ id }) => free.has(id)),
    'socket',
  );
  const rank = ([first]: readonly Cpu[]) => (first ? (freeOf.get(first.socket) ?? 0) : 0);
  return groups.sort((a, b) => rank(a) - rank(b) || (a[0]?.[by] ?? 0) - (b[0]?.[by] ?? 0));
}

/** Free CPUs, first those on the NUMA nodes and sockets with the fewest free ones. */
function bySharing({ cpus }: MachineTopology, free: ReadonlySet<number>): Cpu[] {
  const left = cpus.filter(({ id }) => free.has(id));
  const [sockets, cores] = [countBy(left, 'socket'), countBy(left, 'core')];
  return left.sort(
    (a, b) =>
      (sockets.get(a.socket) ?? 0) - (sockets.get(b.socket) ?? 0) ||
      a.socket - b.socket ||
      (cores.get(a.core) ?? 0) - (cores.get(b.core) ?? 0) ||
      a.core - b.core ||
      a.id - b.id,
  );
}

function groupBy(cpus: readonly Cpu[], by: 'socket' | 'core'): Map<number, Cpu[]> {
  const groups = new Map<number, Cpu[]>();
  for (const cpu of cpus) {
    const group = groups.get(cpu[by]) ?? [];
    groups.set(cpu[by], group);
    group.push(cpu);
  }
  return groups;
}

function countBy(cpus: readonly Cpu[], by: 'socket' | 'core'): Map<number, number> {
  return new Map([...groupBy(cpus, by)].map(([key, group]) => [key, group.length]));
}
