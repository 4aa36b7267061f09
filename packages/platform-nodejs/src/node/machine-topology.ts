import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cpu, type MachineTopology, parseCpuSet } from '@coracle/kubelet';

/** The topology of this machine, from `/sys/devices/system`. */
export async function readMachineTopology(root = '/sys/devices/system'): Promise<MachineTopology> {
  const online = parseCpuSet((await textAt(join(root, 'cpu/online'))) ?? '0');
  const nodes = await numaNodesIn(join(root, 'node'));
  const nodeOf = new Map(nodes.flatMap(({ id, cpus }) => cpus.map((cpu): [number, number] => [cpu, id])));
  const cores = new Map<string, number>();
  const cpus: Cpu[] = [];
  for (const id of online) {
    const topology = join(root, `cpu/cpu${id}/topology`);
    const socket = Number((await textAt(join(topology, 'physical_package_id'))) ?? 0);
    const key = `${socket}/${(await textAt(join(topology, 'core_id'))) ?? id}`;
    const core = cores.get(key) ?? cores.size;
    cores.set(key, core);
    cpus.push({ id, core, socket: Math.max(0, socket), numaNode: nodeOf.get(id) ?? 0 });
  }
  return { cpus, memory: new Map(nodes.map(({ id, amounts }) => [id, amounts])) };
}

interface NumaNode {
  readonly id: number;
  readonly cpus: readonly number[];
  readonly amounts: Readonly<Record<string, number>>;
}

async function numaNodesIn(folder: string): Promise<NumaNode[]> {
  const names = await readdir(folder).catch(() => []);
  const ids = names.flatMap((name) => (/^node\d+$/.test(name) ? [Number(name.slice(4))] : []));
  return Promise.all(
    ids
      .sort((a, b) => a - b)
      .map(async (id) => ({
        id,
        cpus: parseCpuSet((await textAt(join(folder, `node${id}/cpulist`))) ?? ''),
        amounts: await amountsIn(join(folder, `node${id}`)),
      })),
  );
}

async function amountsIn(folder: string): Promise<Record<string, number>> {
  const total = /MemTotal:\s+(\d+) kB/.exec((await textAt(join(folder, 'meminfo'))) ?? '')?.[1];
  const amounts: Record<string, number> = { memory: Number(total ?? 0) * 1024 };
  for (const name of await readdir(join(folder, 'hugepages')).catch(() => [])) {
    const kibi = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    const pages = Number((await textAt(join(folder, 'hugepages', name, 'nr_hugepages'))) ?? 0);
    if (kibi > 0)
      amounts[`hugepages-${kibi >= 2 ** 20 ? `${kibi / 2 ** 20}Gi` : `${kibi / 2 ** 10}Mi`}`] = pages * kibi * 1024;
  }
  return amounts;
}

async function textAt(path: string): Promise<string | undefined> {
  return (await readFile(path, 'utf8').catch(() => undefined))?.trim();
}
