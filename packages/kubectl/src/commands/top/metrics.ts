import { parseQuantity } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Factory } from '../../factory.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../../values.js';

const root = '/apis/metrics.k8s.io/v1beta1';

/** How much CPU, memory and swap: in thousandths of a core, with a fraction, and in bytes. */
export interface Usage {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
}

export interface NodeUsage extends Usage {
  readonly node: string;
  /** Of swap, both are the capacity of the node. What a node does not report is 0. */
  readonly allocatable: Usage;
  readonly capacity: Usage;
}

export interface PodUsage extends Usage {
  readonly namespace: string;
  readonly pod: string;
  readonly containers: readonly (Usage & { readonly name: string })[];
}

/** Fails where the cluster has no metrics. */
async function requireMetrics(factory: Factory): Promise<void> {
  const { groups } = await (await factory.discovery()).resources();
  if (!groups.some(({ name }) => name === 'metrics.k8s.io')) throw new CommandError('Metrics API not available');
}

export type UsageOrder = '' | 'cpu' | 'memory';

/** What `--sort-by` requests. */
export function usageOrder(text: string): UsageOrder {
  if (text !== '' && text !== 'cpu' && text !== 'memory')
    throw new CommandError('--sort-by accepts only cpu or memory');
  return text;
}

export interface NodeUsageQuery {
  readonly name?: string;
  readonly selector?: string;
}

/** Usage of nodes: the named one, or those that the selector selects. Nodes without metrics are not included. */
export async function nodeUsage(factory: Factory, query: NodeUsageQuery): Promise<NodeUsage[]> {
  return (await nodeUsageAndGaps(factory, query)).usages;
}

/** The same, and the names of the nodes that have no metrics. */
export async function nodeUsageAndGaps(
  factory: Factory,
  { name, selector = '' }: NodeUsageQuery,
): Promise<{ readonly usages: NodeUsage[]; readonly unmeasured: string[] }> {
  await requireMetrics(factory);
  const helper = new RequestHelper(await factory.client());
  const get = async (path: string) =>
    name === undefined
      ? recordsAt(await helper.send('GET', withQuery(path, { labelSelector: selector })), 'items')
      : [await helper.send('GET', `${path}/${encodeURIComponent(name)}`)];
  const metrics = await get(`${root}/nodes`);
  const nodes = new Map((await get('/api/v1/nodes')).map((node) => [textAt(node, 'metadata', 'name'), node]));
  const usages = metrics.map((one) => {
    const node = textAt(one, 'metadata', 'name');
    const status = recordAt(nodes.get(node), 'status');
    return {
      node,
      ...amountsOf(recordAt(one, 'usage')),
      allocatable: sizeOf(status, 'allocatable'),
      capacity: sizeOf(status, 'capacity'),
    };
  });
  const measured = new Set(usages.map(({ node }) => node));
  return { usages, unmeasured: [...nodes.keys()].filter((node) => !measured.has(node)) };
}

function sizeOf(status: Fields, field: string): Usage {
  const swap = recordAt(status, 'nodeInfo', 'swap')['capacity'];
  return { ...amountsOf(recordAt(status, field)), swapBytes: typeof swap === 'number' ? swap : 0 };
}

export interface PodUsageQuery {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly name?: string;
  readonly selector?: string;
  readonly fieldSelector?: string;
}

/** Usage of pods by container. */
export async function podUsage(
  factory: Factory,
  { namespace, name, selector = '', fieldSelector = '' }: PodUsageQuery,
): Promise<PodUsage[]> {
  await requireMetrics(factory);
  const path = `${root}${namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/pods`;
  const helper = new RequestHelper(await factory.client());
  const pods =
    name === undefined
      ? recordsAt(await helper.send('GET', withQuery(path, { labelSelector: selector, fieldSelector })), 'items')
      : [await helper.send('GET', `${path}/${encodeURIComponent(name)}`)];
  return pods.map((pod) => {
    const containers = recordsAt(pod, 'containers').map((one) => ({
      name: textAt(one, 'name'),
      ...amountsOf(recordAt(one, 'usage')),
    }));
    return {
      namespace: textAt(pod, 'metadata', 'namespace'),
      pod: textAt(pod, 'metadata', 'name'),
      ...sumOf(containers),
      containers,
    };
  });
}

export function sumOf(usages: readonly Usage[]): Usage {
  const sum = (field: keyof Usage) => usages.reduce((total, one) => total + one[field], 0);
  return { cpuMilli: sum('cpuMilli'), memoryBytes: sum('memoryBytes'), swapBytes: sum('swapBytes') };
}

/** By usage, highest first, or by name. */
export function inUsageOrder<T extends Usage>(
  usages: readonly T[],
  order: UsageOrder,
  nameOf: (usage: T) => string,
): T[] {
  return [...usages].sort((a, b) => {
    if (order === 'cpu') return b.cpuMilli - a.cpuMilli;
    if (order === 'memory') return b.memoryBytes - a.memoryBytes;
    return nameOf(a) < nameOf(b) ? -1 : 1;
  });
}

function amountsOf(amounts: Fields): Usage {
  const amount = (name: string) => parseQuantity(textAt(amounts, name) || '0');
  return {
    cpuMilli: Number(amount('cpu').nanos) / 1e6,
    memoryBytes: amount('memory').value(),
    swapBytes: amount('swap').value(),
  };
}

/** Whole thousandths of a core, rounded up. Quantities are exact to a billionth: what is finer is noise of sums. */
export function wholeMilli(cpuMilli: number): number {
  return Math.ceil(Number(cpuMilli.toFixed(6)));
}

/** `12m`, `34Mi` and, where swap is shown, `5Mi`. */
export function usageCells({ cpuMilli, memoryBytes, swapBytes }: Usage, showsSwap: boolean): string[] {
  return [`${wholeMilli(cpuMilli)}m`, mebibytes(memoryBytes), ...(showsSwap ? [mebibytes(swapBytes)] : [])];
}

export function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)}Mi`;
}

export function percentOf(amount: number, whole: number): string {
  return whole === 0 ? '<unknown>' : `${Math.trunc((amount / whole) * 100)}%`;
}
