import type { Node, Service } from '@coracle/api';
import { isConditionTrue, parseQuantity } from '@coracle/apimachinery';

/** Zone → its fraction of the CPUs of all nodes. */
export type ZoneShares = ReadonlyMap<string, number>;

/** Maximum overload of an endpoint relative to its share of the traffic. */
const overload = 0.2;
export const zoneLabel = 'topology.kubernetes.io/zone';
const excludingLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Whether a service has topology-aware routing. */
export function wantsTopologyHints({ metadata }: Service): boolean {
  const { annotations = {} } = metadata;
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

/** `undefined` if one of the nodes has no zone label or CPU capacity, or if there are not several zones. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpuByZone = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata;
    if (excludingLabels.some((label) => label in labels) || !isConditionTrue(status?.conditions, 'Ready')) continue;
    const zone = labels[zoneLabel];
    const cpu = parseQuantity(status?.allocatable?.['cpu'] ?? '0').milliValue();
    if (!zone || cpu === 0) return undefined;
    cpuByZone.set(zone, (cpuByZone.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpuByZone.size < 2) return undefined;
  return new Map([...cpuByZone].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]));
}

export interface Allocation {
  readonly minimum: number;
  readonly desired: number;
  readonly maximum: number;
}

/** The number of endpoints for each zone, or why it cannot be computed. */
export function allocate(shares: ZoneShares | undefined, count: number): ReadonlyMap<string, Allocation> | string {
  if (!shares) {
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  }
  const numbers = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${numbers}`;
  const minimums = new Map([...shares].map(([zone, share]) => [zone, Math.ceil((share * count) / (1 + overload))]));
  const least = sum(minimums.values());
  if (least > count) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  }
  return new Map(
    [...shares].map(([zone, share]) => {
      const minimum = minimums.get(zone) ?? 0;
      return [zone, { minimum, desired: Math.max(share * count, minimum), maximum: minimum + count - least }];
    }),
  );
}

/** Whether some zone has too few endpoints for its share. */
export function isOverloaded(endpoints: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpoints.size === 0) return false;
  if (!shares) return true;
  const total = sum(endpoints.values());
  return [...shares].some(([zone, share]) => {
    const has = endpoints.get(zone);
    return has === undefined || has < Math.ceil((total * share) / (1 + overload));
  });
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const one of numbers) total += one;
  return total;
}
