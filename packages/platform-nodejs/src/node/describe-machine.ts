import { readdir, readFile, statfs } from 'node:fs/promises';
import { availableParallelism, networkInterfaces, release } from 'node:os';
import { kubeletVersion, type NodeDescription } from '@coracle/kubelet';

export interface MachineOptions {
  readonly nodeName: string;
  /** `containerd://1.6.20`. */
  readonly runtimeVersion: string;
  /** Root directory of the kubelet; its filesystem is the node's ephemeral storage. */
  readonly rootDirectory: string;
  /** Overrides this machine's first address. */
  readonly nodeIps?: readonly string[];
  readonly maxPods?: number;
  /** Maximum number of pods per CPU; 0 for no limit. */
  readonly podsPerCore?: number | undefined;
}

type Machine = Pick<NodeDescription, 'addresses' | 'capacity' | 'info'>;

/** Describes this machine as a node of a cluster. */
export async function describeMachine(options: MachineOptions): Promise<Machine> {
  const { nodeName, runtimeVersion, rootDirectory } = options;
  const cpus = availableParallelism();
  const addresses = options.nodeIps ?? firstAddresses();
  const [memory, storage, hugepages, info] = await Promise.all([
    totalMemory(),
    statfs(rootDirectory),
    hugepageCapacity(),
    systemInfo(runtimeVersion),
  ]);
  return {
    addresses: [
      ...addresses.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: nodeName },
    ],
    capacity: {
      cpu: String(cpus),
      'ephemeral-storage': `${Math.floor((storage.blocks * storage.bsize) / 1024)}Ki`,
      ...hugepages,
      memory: `${memory}Ki`,
      pods: String(podCapacity(cpus, options)),
    },
    info,
  };
}

/** Maximum number of pods for a machine with this number of CPUs. */
export function podCapacity(
  cpus: number,
  { maxPods = 110, podsPerCore = 0 }: Pick<MachineOptions, 'maxPods' | 'podsPerCore'>,
): number {
  return podsPerCore > 0 ? Math.min(maxPods, cpus * podsPerCore) : maxPods;
}

async function systemInfo(containerRuntimeVersion: string): Promise<NodeDescription['info']> {
  const [machineID, systemUUID, bootID, osRelease] = await Promise.all([
    firstLine('/etc/machine-id'),
    firstLine('/sys/class/dmi/id/product_uuid'),
    firstLine('/proc/sys/kernel/random/boot_id'),
    readFile('/etc/os-release', 'utf8').catch(() => ''),
  ]);
  return {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    bootID,
    containerRuntimeVersion,
    kernelVersion: release(),
    kubeProxyVersion: '',
    kubeletVersion,
    machineID,
    operatingSystem: 'linux',
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Linux',
    systemUUID: systemUUID || machineID,
  };
}

/** The first address of each family that other machines may reach; loopback if there is none. */
function firstAddresses(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = own.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const ofFamily = (family: string) => outside.find((one) => one.family === family)?.address;
  const found = [ofFamily('IPv4'), ofFamily('IPv6')].filter((address) => address !== undefined);
  return found.length > 0 ? found : ['127.0.0.1'];
}

/** In KiB. */
async function totalMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8');
  return Number(/^MemTotal:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

/** `hugepages-2Mi`, `hugepages-1Gi`: amounts that the kernel reserves. */
async function hugepageCapacity(): Promise<Record<string, string>> {
  const folder = '/sys/kernel/mm/hugepages';
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => {
      const kilobytes = Number(/hugepages-(\d+)kB/.exec(name)?.[1] ?? 0);
      const count = Number(await firstLine(`${folder}/${name}/nr_hugepages`));
      return [`hugepages-${binaryUnits(kilobytes)}`, binaryUnits(kilobytes * count)] as const;
    }),
  );
  return Object.fromEntries(sizes);
}

function binaryUnits(kilobytes: number): string {
  if (kilobytes === 0) return '0';
  if (kilobytes % 1_048_576 === 0) return `${kilobytes / 1_048_576}Gi`;
  return kilobytes % 1024 === 0 ? `${kilobytes / 1024}Mi` : `${kilobytes}Ki`;
}

async function firstLine(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n', 1)[0] ?? '';
}
