import type { Node } from '@coracle/api';

export type ZoneState = 'normal' | 'partial-disruption' | 'full-disruption';

export interface EvictionRates {
  /** Nodes per second. */
  readonly usual: number;
  readonly inTrouble: number;
  /** Minimum number of nodes for evictions in a disrupted zone. */
  readonly largeZone: number;
  readonly unhealthyShare: number;
}

export const defaultRates: EvictionRates = { usual: 0.1, inTrouble: 0.01, largeZone: 50, unhealthyShare: 0.55 };

/** The zone of a node, in the format of metrics; deprecated labels count too. */
export function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata;
  const read = (name: string) =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? '';
  const [region, zone] = [read('region'), read('zone')];
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

export function countsForDisruption({ metadata }: Node): boolean {
  return metadata.labels?.['node.kubernetes.io/exclude-disruption'] === undefined;
}

/** `ready` of each node of the zone. */
export function zoneState(ready: readonly string[], { unhealthyShare }: EvictionRates): ZoneState {
  const unhealthy = ready.filter((status) => status !== 'True').length;
  if (unhealthy === ready.length && unhealthy > 0) return 'full-disruption';
  return unhealthy > 2 && unhealthy / ready.length >= unhealthyShare ? 'partial-disruption' : 'normal';
}

export function evictionRate(state: ZoneState, size: number, rates: EvictionRates): number {
  if (state !== 'partial-disruption') return rates.usual;
  return size > rates.largeZone ? rates.inTrouble : 0;
}

/**
 * The effect of a change of the zones on the whole cluster. If all zones fail at once, the controller is probably
 * disconnected: then no pods are evicted, and all nodes start with new timestamps when the first zone recovers.
 */
export type DisruptionPlan =
  | { readonly kind: 'halt' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'stay-halted' }
  | { readonly kind: 'adjust' };

export function planDisruption(
  before: ReadonlyMap<string, ZoneState>,
  now: ReadonlyMap<string, ZoneState>,
): DisruptionPlan {
  const allFull = (states: ReadonlyMap<string, ZoneState>) =>
    states.size > 0 && [...states.values()].every((state) => state === 'full-disruption');
  if (allFull(now)) return { kind: allFull(before) ? 'stay-halted' : 'halt' };
  return { kind: allFull(before) ? 'resume' : 'adjust' };
}
