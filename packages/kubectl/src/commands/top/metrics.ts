import { parseQuantity } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { type Fields, recordAt, textAt } from '../../values.js';

/** Fails where the cluster has no metrics. */
export async function requireMetrics({ factory, flags }: Context): Promise<void> {
  if (!['', 'cpu', 'memory'].includes(flags.string('sort-by')))
    throw new CommandError('--sort-by accepts only cpu or memory');
  const { groups } = await (await factory.discovery()).resources();
  if (!groups.some(({ name }) => name === 'metrics.k8s.io')) throw new CommandError('Metrics API not available');
}

/** `12m` and `34Mi`. */
export function usageCells(usage: Fields): { cpu: string; memory: string; cpuMilli: number; memoryBytes: number } {
  const cpuMilli = Math.ceil(parseQuantity(textAt(usage, 'cpu') || '0').milliValue());
  const memoryBytes = parseQuantity(textAt(usage, 'memory') || '0').value();
  return { cpu: `${cpuMilli}m`, memory: `${Math.floor(memoryBytes / 1_048_576)}Mi`, cpuMilli, memoryBytes };
}

export function percentOf(amount: number, whole: number): string {
  return whole === 0 ? '<unknown>' : `${Math.trunc((amount / whole) * 100)}%`;
}

export function allocatableOf(node: Fields, capacity: boolean): { cpuMilli: number; memoryBytes: number } {
  const from = recordAt(node, 'status', capacity ? 'capacity' : 'allocatable');
  return {
    cpuMilli: parseQuantity(textAt(from, 'cpu') || '0').milliValue(),
    memoryBytes: parseQuantity(textAt(from, 'memory') || '0').value(),
  };
}
