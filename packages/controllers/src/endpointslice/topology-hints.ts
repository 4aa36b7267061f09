import type { discoveryv1, EndpointSlice } from '@coracle/api';
import { type EndpointGroup, endpointKey } from './endpoint-group.js';
import type { FilledSlice, SlicesPlan } from './plan-slices.js';
import { type Allocation, allocate, type ZoneShares } from './zone-shares.js';

type Endpoint = discoveryv1.Endpoint;

/** The endpoints with their current hints in these slices: unchanged slices are not written because of hints. */
export function carryHints(groups: readonly EndpointGroup[], slices: readonly EndpointSlice[]): EndpointGroup[] {
  const hints = new Map(
    slices.flatMap(({ endpoints }) => (endpoints ?? []).map((one) => [endpointKey(one), one.hints] as const)),
  );
  return groups.map(({ ports, endpoints }) => ({
    ports,
    endpoints: endpoints.map((endpoint) => {
      const entry = hints.get(endpointKey(endpoint));
      return entry ? { ...endpoint, hints: entry } : endpoint;
    }),
  }));
}

export interface HintsView {
  readonly plan: SlicesPlan;
  /** Slices that are not written otherwise. */
  readonly unchanged: readonly EndpointSlice[];
  readonly shares: ZoneShares | undefined;
}

export interface HintsPlan {
  readonly plan: SlicesPlan;
  /** Zone → number of endpoints for it. */
  readonly zones: ReadonlyMap<string, number>;
  /** Why there are no hints. */
  readonly problem?: string;
}

/**
 * Assigns a zone to each ready endpoint: its own, unless that zone has more endpoints than its share and another fewer:
 * then some are assigned to the other. Slices that need not be written keep their hints as long as these are valid.
 */
export function planHints({ plan, unchanged, shares }: HintsView): HintsPlan {
  const written = [...plan.create, ...plan.update];
  const ready = [...written, ...unchanged].flatMap(readyOf);
  const allocations = allocate(shares, ready.length);
  if (typeof allocations === 'string') return withoutHints({ plan, unchanged }, allocations);
  const { zones, unfit } = keepFitting(unchanged, allocations);
  const open = [...written, ...unfit].flatMap(readyOf);
  if (open.some(({ zone }) => !zone)) {
    return withoutHints({ plan, unchanged }, 'One or more endpoints do not have a zone specified');
  }
  for (const { zone = '' } of open) zones.set(zone, (zones.get(zone) ?? 0) + 1);
  const hintOf = lend(open, zones, allocations);
  const rewrite = (endpoint: Endpoint) => withHint(endpoint, hintOf.get(endpoint));
  if (zones.size === 0) return withoutHints({ plan, unchanged }, 'No hints allocated for zones');
  return { plan: mapEndpoints(plan, unfit, rewrite), zones };
}

/** Counts the hints of slices that may keep them, and returns the other slices. */
function keepFitting(
  slices: readonly EndpointSlice[],
  allocations: ReadonlyMap<string, Allocation>,
): { readonly zones: Map<string, number>; readonly unfit: readonly EndpointSlice[] } {
  const zones = new Map<string, number>();
  const unfit = slices.filter((slice) => {
    const own = hintsByZone(slice);
    const fits =
      own !== undefined &&
      [...own].every(([zone, count]) => count + (zones.get(zone) ?? 0) <= (allocations.get(zone)?.maximum ?? -1));
    if (fits) for (const [zone, count] of own) zones.set(zone, count + (zones.get(zone) ?? 0));
    return !fits;
  });
  return { zones, unfit };
}

/** `undefined` if some ready endpoint has none. */
function hintsByZone(slice: EndpointSlice): Map<string, number> | undefined {
  const zones = new Map<string, number>();
  for (const { hints } of readyOf(slice)) {
    if (!hints?.forZones?.length) return undefined;
    for (const { name } of hints.forZones) zones.set(name, (zones.get(name) ?? 0) + 1);
  }
  return zones;
}

/** Assigns a zone to each endpoint. Reassigned endpoints move in `zones` from their own zone to the other. */
function lend(
  endpoints: readonly Endpoint[],
  zones: Map<string, number>,
  allocations: ReadonlyMap<string, Allocation>,
): ReadonlyMap<Endpoint, string> {
  const { giving, receiving } = exchanges(zones, allocations);
  const meantFor = new Map<Endpoint, string>();
  for (const endpoint of endpoints) {
    const { zone: own = '' } = endpoint;
    const [to] = take(giving, own) ? receiving.keys() : [];
    if (to !== undefined) {
      take(receiving, to);
      zones.set(own, (zones.get(own) ?? 0) - 1);
      zones.set(to, (zones.get(to) ?? 0) + 1);
    }
    meantFor.set(endpoint, to ?? own);
  }
  return meantFor;
}

/** Number of endpoints that each zone gives and gets: the largest surplus goes to the largest deficit. */
function exchanges(zones: ReadonlyMap<string, number>, allocations: ReadonlyMap<string, Allocation>) {
  const surplus = new Map([...allocations].map(([zone, { desired }]) => [zone, (zones.get(zone) ?? 0) - desired]));
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const from = most(surplus, 1);
    const to = most(surplus, -1);
    if (!from || !to || Math.min(from.amount, to.amount) < 0.5 || Math.max(from.amount, to.amount) < 1) break;
    giving.set(from.zone, (giving.get(from.zone) ?? 0) + 1);
    receiving.set(to.zone, (receiving.get(to.zone) ?? 0) + 1);
    surplus.set(from.zone, from.amount - 1);
    surplus.set(to.zone, 1 - to.amount);
  }
  return { giving, receiving };
}

/** The zone with the largest surplus, or with -1 the largest deficit. */
function most(surplus: ReadonlyMap<string, number>, sign: 1 | -1) {
  let best: { readonly zone: string; readonly amount: number } | undefined;
  for (const [zone, value] of surplus) {
    const amount = value * sign;
    if (amount > (best?.amount ?? 0)) best = { zone, amount };
  }
  return best;
}

/** Takes one from the remaining number; false if it is zero. */
function take(left: Map<string, number>, zone: string): boolean {
  const count = left.get(zone) ?? 0;
  if (count > 1) left.set(zone, count - 1);
  else left.delete(zone);
  return count > 0;
}

function withoutHints({ plan, unchanged }: Omit<HintsView, 'shares'>, problem: string): HintsPlan {
  const hinted = unchanged.filter(({ endpoints }) => endpoints?.some(({ hints }) => hints));
  return { plan: mapEndpoints(plan, hinted, (endpoint) => withHint(endpoint, undefined)), zones: new Map(), problem };
}

/** The plan with other endpoints, and these slices to be written. */
function mapEndpoints(
  plan: SlicesPlan,
  more: readonly EndpointSlice[],
  change: (endpoint: Endpoint) => Endpoint,
): SlicesPlan {
  const update: FilledSlice[] = [...plan.update, ...more.map((slice) => ({ slice, endpoints: slice.endpoints ?? [] }))];
  return {
    ...plan,
    create: plan.create.map(({ ports, endpoints }): EndpointGroup => ({ ports, endpoints: endpoints.map(change) })),
    update: update.map((filled) => ({ ...filled, endpoints: filled.endpoints.map(change) })),
  };
}

function withHint({ hints: _old, ...endpoint }: Endpoint, zone: string | undefined): Endpoint {
  return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
}

function readyOf({ endpoints }: { readonly endpoints?: readonly Endpoint[] }): readonly Endpoint[] {
  return (endpoints ?? []).filter(({ conditions }) => conditions?.ready);
}
