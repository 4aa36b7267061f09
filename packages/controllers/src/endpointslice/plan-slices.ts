import type { discoveryv1, EndpointSlice } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { type EndpointGroup, endpointKey, portsKey } from './endpoint-group.js';

export interface SlicesView {
  /** Slices and endpoints of one address type. */
  readonly existing: readonly EndpointSlice[];
  readonly groups: readonly EndpointGroup[];
  readonly maxEndpoints: number;
  /** Whether a slice belongs to the owner: others of the same name are left over from a former one. */
  isOwned(slice: EndpointSlice): boolean;
  /** Whether labels and annotations of a slice have to be updated. */
  hasOldMetadata(slice: EndpointSlice): boolean;
}

/** A slice with its desired endpoints. */
export interface FilledSlice {
  readonly slice: EndpointSlice;
  /** Set if they differ from the current ones. */
  readonly ports?: EndpointGroup['ports'];
  readonly endpoints: readonly discoveryv1.Endpoint[];
}

export interface SlicesPlan {
  readonly create: readonly EndpointGroup[];
  readonly update: readonly FilledSlice[];
  readonly delete: readonly EndpointSlice[];
  /** Number of added, updated and removed endpoints. */
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** State of the computation. */
interface Draft {
  readonly create: EndpointGroup[];
  readonly update: FilledSlice[];
  readonly delete: EndpointSlice[];
  added: number;
  updated: number;
  removed: number;
}

/**
 * Plans as few writes as possible: a slice is written only if something in it is removed or changed, or if it gets new
 * endpoints. Slices that are written anyway are filled first, and a slice that would be deleted is reused for one that
 * would be created, so that its name stays. There is always at least one, which may be empty.
 */
export function planSlices(view: SlicesView): SlicesPlan {
  const byPorts = groupByPorts(view.existing.filter(view.isOwned));
  const plan: Draft = { create: [], update: [], delete: [], added: 0, updated: 0, removed: 0 };
  for (const slice of view.existing) if (!view.isOwned(slice)) plan.delete.push(slice);
  for (const group of view.groups) {
    const key = portsKey(group.ports);
    planGroup(view, { group, slices: byPorts.get(key) ?? [], plan });
    byPorts.delete(key);
  }
  const left = [...byPorts.values()].flat();
  const hasAny = view.groups.some(({ endpoints }) => endpoints.length > 0);
  const reusable = hasAny ? undefined : left.find(({ ports }) => (ports ?? []).length === 0);
  plan.delete.push(...left.filter((slice) => slice !== reusable));
  if (reusable && (endpointsOf(reusable).length > 0 || view.hasOldMetadata(reusable))) {
    plan.update.push({ slice: reusable, endpoints: [] });
  }
  if (!hasAny && !reusable) plan.create.push({ ports: [], endpoints: [] });
  return reuse(plan, view);
}

/** A slice of a former owner is not reused: it will be garbage collected. */
function reuse(plan: SlicesPlan, { isOwned }: SlicesView): SlicesPlan {
  const free = plan.delete.filter(isOwned).slice(0, plan.create.length);
  const refilled = free.map((slice, index) => ({ slice, ...(plan.create[index] as EndpointGroup) }));
  return {
    ...plan,
    create: plan.create.slice(free.length),
    update: [...plan.update, ...refilled],
    delete: plan.delete.filter((slice) => !free.includes(slice)),
  };
}

function groupByPorts(slices: readonly EndpointSlice[]): Map<string, EndpointSlice[]> {
  const groups = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports ?? []);
    const group = groups.get(key);
    if (group) group.push(slice);
    else groups.set(key, [slice]);
  }
  return groups;
}

interface GroupWork {
  readonly group: EndpointGroup;
  readonly slices: readonly EndpointSlice[];
  readonly plan: Draft;
}

function planGroup({ maxEndpoints, hasOldMetadata }: SlicesView, { group, slices, plan }: GroupWork): void {
  const desired = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const changed: { slice: EndpointSlice; endpoints: discoveryv1.Endpoint[] }[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const slice of slices) {
    const { endpoints, updated } = keepWanted(slice, desired);
    const removed = endpointsOf(slice).length - endpoints.length;
    plan.updated += updated;
    plan.removed += removed;
    if (updated + removed > 0 || hasOldMetadata(slice)) changed.push({ slice, endpoints });
    else unchanged.push(slice);
  }
  const added = [...desired.values()];
  plan.added += added.length;
  for (const { endpoints } of changed) endpoints.push(...added.splice(0, Math.max(0, maxEndpoints - endpoints.length)));
  while (added.length >= maxEndpoints)
    plan.create.push({ ports: group.ports, endpoints: added.splice(0, maxEndpoints) });
  const room = added.length > 0 ? fullestWithRoom(unchanged, added.length, maxEndpoints) : undefined;
  if (room) {
    const before = endpointsOf(room);
    changed.push({ slice: room, endpoints: [...before, ...added.splice(0, maxEndpoints - before.length)] });
  }
  if (added.length > 0) plan.create.push({ ports: group.ports, endpoints: added });
  for (const filled of changed) {
    if (filled.endpoints.length === 0) plan.delete.push(filled.slice);
    else plan.update.push(filled);
  }
}

/** Removes the endpoints from `desired` that the slice has already; `updated` of them have changed. */
function keepWanted(
  slice: EndpointSlice,
  desired: Map<string, discoveryv1.Endpoint>,
): { readonly endpoints: discoveryv1.Endpoint[]; readonly updated: number } {
  const endpoints: discoveryv1.Endpoint[] = [];
  let updated = 0;
  for (const endpoint of endpointsOf(slice)) {
    const key = endpointKey(endpoint);
    const now = desired.get(key);
    if (!now) continue;
    desired.delete(key);
    endpoints.push(now);
    if (!deepEqual(now, endpoint)) updated++;
  }
  return { endpoints, updated };
}

/**
 * The fullest slice that has room for all, so that few slices stay half empty; otherwise the fullest with any room.
 * Upstream, which processes pods one by one, fills slices in the same way.
 */
function fullestWithRoom(slices: readonly EndpointSlice[], count: number, max: number): EndpointSlice | undefined {
  const size = (slice: EndpointSlice) => endpointsOf(slice).length;
  const fullestFirst = slices.filter((slice) => size(slice) < max).sort((a, b) => size(b) - size(a));
  return fullestFirst.find((slice) => size(slice) + count <= max) ?? fullestFirst[0];
}

/** The server returns `null` for empty lists. */
function endpointsOf({ endpoints }: EndpointSlice): readonly discoveryv1.Endpoint[] {
  return endpoints ?? [];
}
