import { type EndpointSlice, refs } from '@coracle/api';
import { isControlledBy, isNotFound, type KubeObject, keyOf, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual, messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext, KeyQueue } from '../controller.js';
import type { OwnWrites } from '../own-writes.js';
import { controllerReferenceTo } from '../owner-claims.js';
import { triggerTimeAnnotation } from '../trigger-times.js';
import type { EndpointGroup } from './endpoint-group.js';
import { type FilledSlice, planSlices, type SlicesPlan } from './plan-slices.js';
import type { SliceCounts, SliceMetrics } from './slice-metrics.js';
import { carryHints } from './topology-hints.js';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';

/** The owner of the slices, and the metadata of all of them. */
export interface SliceOwner {
  readonly object: KubeObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The desired labels and annotations. Whether other clients may add theirs. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The time of the change that is written now, if it is known. */
  readonly triggerTime?: string | undefined;
}

export interface WantedSlices {
  readonly existing: readonly EndpointSlice[];
  /** By address type. Slices of other types are deleted. */
  readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>;
  readonly maxEndpoints: number;
  /** Sets hints once the slices to be written are known. */
  assignHints?(addressType: string, plan: SlicesPlan, unchanged: readonly EndpointSlice[]): SlicesPlan;
}

export interface SliceWriting {
  readonly desired: WantedSlices;
  readonly writes: OwnWrites<EndpointSlice>;
  readonly metrics: SliceMetrics;
}

/** Indexes slices by service. */
const byService = 'service-name';

export function indexSlicesByService({ informers }: ControllerContext): void {
  informers.for(refs.endpointSlices).addIndex(byService, serviceOf);
}

function serviceOf(slice: EndpointSlice): readonly string[] {
  const key = serviceKeyOf(slice);
  return key === undefined ? [] : [key];
}

function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined ? undefined : `${metadata.namespace ?? ''}/${name}`;
}

/** The slices of a service that the controller of that name manages. */
export function slicesOf({ informers }: ControllerContext, serviceKey: string, managedBy: string): EndpointSlice[] {
  return informers
    .for(refs.endpointSlices)
    .byIndex(byService, serviceKey)
    .filter(({ metadata }) => metadata.labels?.[managedByLabel] === managedBy && !metadata.deletionTimestamp);
}

/**
 * Puts the services of slices into the queue whenever one of their slices changes: changes by other clients are
 * reverted. If a slice was relabelled, its former service needs another one.
 */
export function followSlices(
  { informers }: ControllerContext,
  { managedBy, writes, queue }: SliceFollower,
): Disposable {
  const keyFor = (slice: EndpointSlice) =>
    slice.metadata.labels?.[managedByLabel] === managedBy ? serviceKeyOf(slice) : undefined;
  return informers.for(refs.endpointSlices).addHandler((event) => {
    const key = keyFor(event.object);
    if (key !== undefined) writes.seen(key, event.object, event.type === 'deleted');
    const before = event.type === 'updated' ? keyFor(event.previous) : key;
    for (const touched of new Set([key, before])) if (touched !== undefined) queue.add(touched);
  });
}

export interface SliceFollower {
  readonly managedBy: string;
  readonly writes: OwnWrites<EndpointSlice>;
  readonly queue: KeyQueue;
}

/** Writes the plan, and records each write. Returns the number of writes. */
export async function writeSlices(
  { client }: ControllerContext,
  owner: SliceOwner,
  { desired, writes, metrics }: SliceWriting,
): Promise<number> {
  const key = keyOf(owner.object);
  const slices = client.resource(refs.endpointSlices, owner.object.metadata.namespace);
  const noteAs = (operation: 'create' | 'update') => (slice: EndpointSlice) => {
    writes.wrote(key, slice);
    metrics.changed(operation);
  };
  const tasks: Promise<void>[] = [];
  const unlessGone =
    (act: string, { metadata }: EndpointSlice) =>
    (error: unknown) => {
      if (!isNotFound(error)) throw failedTo(`${act} ${metadata.name}`, owner, error);
    };
  const remove = (slice: EndpointSlice) =>
    slices.delete(slice.metadata.name ?? '').then(() => metrics.changed('delete'), unlessGone('delete', slice));
  for (const slice of desired.existing) if (!desired.groups.has(slice.addressType)) tasks.push(remove(slice));
  metrics.set(key, countsOf(desired));
  for (const [addressType, groups] of desired.groups) {
    const plan = planFor(owner, { desired, addressType, groups });
    metrics.planned(plan);
    // Objects for a terminating owner would be garbage collected again.
    const create = owner.object.metadata.deletionTimestamp === undefined ? plan.create : [];
    tasks.push(
      ...create.map((group) =>
        slices.create(newSlice(owner, addressType, group)).then(noteAs('create'), (error: unknown) => {
          if (!isNamespaceTerminating(error)) throw failedTo('create', owner, error);
        }),
      ),
      ...plan.update.map((filled) =>
        slices.update(updatedSlice(owner, filled)).then(noteAs('update'), unlessGone('update', filled.slice)),
      ),
      ...plan.delete.map(remove),
    );
  }
  const failed = (await Promise.allSettled(tasks)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return tasks.length;
}

interface TypeWork {
  readonly desired: WantedSlices;
  readonly addressType: string;
  readonly groups: readonly EndpointGroup[];
}

function planFor(owner: SliceOwner, { desired, addressType, groups }: TypeWork): SlicesPlan {
  const { maxEndpoints } = desired;
  const existing = desired.existing.filter((slice) => slice.addressType === addressType);
  const isOwned = (slice: EndpointSlice) => isControlledBy(slice, owner.object);
  const hasOldMetadata = ({ metadata }: EndpointSlice) =>
    !deepEqual(metadata.labels, owner.labels) ||
    (owner.annotations !== undefined && !deepEqual(metadata.annotations ?? {}, owner.annotations));
  const view = { existing, maxEndpoints, isOwned, hasOldMetadata };
  if (!desired.assignHints) return planSlices({ ...view, groups });
  const plan = planSlices({ ...view, groups: carryHints(groups, existing.filter(isOwned)) });
  const touched = new Set([...plan.update.map(({ slice }) => slice), ...plan.delete]);
  const unchanged = existing.filter((slice) => !touched.has(slice));
  return desired.assignHints(addressType, plan, unchanged);
}

/** There is at least one slice for each address type, which may be empty. */
function countsOf({ existing, groups, maxEndpoints }: WantedSlices): SliceCounts {
  let [endpoints, fewest] = [0, 0];
  for (const ofType of groups.values()) {
    const sizes = ofType.map((group) => group.endpoints.length);
    endpoints += sizes.reduce((total, size) => total + size, 0);
    fewest += Math.max(
      1,
      sizes.reduce((total, size) => total + Math.ceil(size / maxEndpoints), 0),
    );
  }
  return { endpoints, slices: existing.length, fewest };
}

function newSlice(owner: SliceOwner, addressType: string, { ports, endpoints }: EndpointGroup): EndpointSlice {
  const { namespace = '', name = '' } = owner.object.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...owner.labels },
      ...annotationsFor(owner, owner.annotations ?? {}),
      ownerReferences: [controllerReferenceTo(owner.object, owner)],
    },
    addressType,
    ports: [...ports],
    endpoints: [...endpoints],
  };
}

function updatedSlice(owner: SliceOwner, { slice, ports, endpoints }: FilledSlice): EndpointSlice {
  return {
    ...slice,
    metadata: updatedMetadata(slice, owner),
    ...(ports && { ports: [...ports] }),
    endpoints: [...endpoints],
  };
}

function updatedMetadata({ metadata }: EndpointSlice, owner: SliceOwner): ObjectMeta {
  const { [triggerTimeAnnotation]: _old, ...others } = owner.annotations ?? metadata.annotations ?? {};
  return { ...metadata, labels: { ...owner.labels }, annotations: {}, ...annotationsFor(owner, others) };
}

function annotationsFor(
  { triggerTime }: SliceOwner,
  others: Readonly<Record<string, string>>,
): { readonly annotations?: Record<string, string> } {
  const annotations = triggerTime === undefined ? { ...others } : { ...others, [triggerTimeAnnotation]: triggerTime };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** Adds the action to the error. */
function failedTo(act: string, { kind, object }: SliceOwner, cause: unknown): Error {
  return new Error(`failed to ${act} EndpointSlice for ${kind} ${keyOf(object)}: ${messageOf(cause)}`, { cause });
}
