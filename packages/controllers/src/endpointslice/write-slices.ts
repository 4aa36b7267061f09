import { type EndpointSlice, refs } from '@coracle/api';
import { isNotFound, type KubeObject, keyOf, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext, KeyQueue } from '../controller.js';
import type { OwnWrites } from '../own-writes.js';
import { controllerOf, ownerReference } from '../owner-claims.js';
import { messageOf } from '../pod-control.js';
import { triggerTimeAnnotation } from '../trigger-times.js';
import { type FilledSlice, planSlices, type SlicesPlan } from './plan-slices.js';
import type { EndpointGroup } from './service-endpoints.js';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';

/** Whose slices they are, and what stands on all of them. */
export interface SliceOwner {
  readonly object: KubeObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  /** When that happened which is written now, if it is known. */
  readonly triggerTime?: string | undefined;
}

export interface WantedSlices {
  readonly existing: readonly EndpointSlice[];
  /** By address type. Slices of other types go. */
  readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>;
  readonly maxEndpoints: number;
}

/** Finds slices by their service. */
const byService = 'service-name';

export function indexSlicesByService({ informers }: ControllerContext): void {
  informers.for(refs.endpointSlices).addIndex(byService, serviceOf);
}

function serviceOf(slice: EndpointSlice): readonly string[] {
  const key = serviceKeyOf(slice);
  return key === undefined ? [] : [key];
}

export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined ? undefined : `${metadata.namespace ?? ''}/${name}`;
}

/** The slices of a service that the controller of that name looks after. */
export function slicesOf({ informers }: ControllerContext, serviceKey: string, managedBy: string): EndpointSlice[] {
  return informers
    .for(refs.endpointSlices)
    .byIndex(byService, serviceKey)
    .filter(({ metadata }) => metadata.labels?.[managedByLabel] === managedBy && !metadata.deletionTimestamp);
}

/**
 * Puts the services of slices into the queue whenever one of their slices changes: whatever somebody else made of it
 * is put right. A slice that was relabelled is lost to the service that it was taken from, which needs another.
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

/** Brings the slices in line, and notes each write. Gives how many there were. */
export async function writeSlices(
  { client }: ControllerContext,
  owner: SliceOwner,
  { wanted, writes }: { readonly wanted: WantedSlices; readonly writes: OwnWrites<EndpointSlice> },
): Promise<number> {
  const key = keyOf(owner.object);
  const slices = client.resource(refs.endpointSlices, owner.object.metadata.namespace);
  const note = (slice: EndpointSlice) => writes.wrote(key, slice);
  const tasks: Promise<void>[] = [];
  const unlessGone =
    (act: string, { metadata }: EndpointSlice) =>
    (error: unknown) => {
      if (!isNotFound(error)) throw failedTo(`${act} ${metadata.name}`, owner, error);
    };
  const remove = (slice: EndpointSlice) =>
    slices.delete(slice.metadata.name ?? '').then(() => {}, unlessGone('delete', slice));
  for (const slice of wanted.existing) if (!wanted.groups.has(slice.addressType)) tasks.push(remove(slice));
  for (const [addressType, groups] of wanted.groups) {
    const plan = planFor(owner, { wanted, addressType, groups });
    // What is made for an owner that is going would only be collected again.
    const create = owner.object.metadata.deletionTimestamp === undefined ? plan.create : [];
    tasks.push(
      ...create.map((group) =>
        slices.create(newSlice(owner, addressType, group)).then(note, (error: unknown) => {
          if (!isNamespaceTerminating(error)) throw failedTo('create', owner, error);
        }),
      ),
      ...plan.update.map((filled) =>
        slices.update(updatedSlice(owner, filled)).then(note, unlessGone('update', filled.slice)),
      ),
      ...plan.delete.map(remove),
    );
  }
  const failed = (await Promise.allSettled(tasks)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return tasks.length;
}

interface TypeWork {
  readonly wanted: WantedSlices;
  readonly addressType: string;
  readonly groups: readonly EndpointGroup[];
}

function planFor(owner: SliceOwner, { wanted, addressType, groups }: TypeWork): SlicesPlan {
  return planSlices({
    existing: wanted.existing.filter((slice) => slice.addressType === addressType),
    groups,
    maxEndpoints: wanted.maxEndpoints,
    isOwned: (slice) => controllerOf(slice)?.uid === owner.object.metadata.uid,
    hasOldMetadata: ({ metadata }) => !deepEqual(metadata.labels, owner.labels),
  });
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
      ...(owner.triggerTime !== undefined && { annotations: { [triggerTimeAnnotation]: owner.triggerTime } }),
      ownerReferences: [ownerReference(owner.object, owner)],
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

function updatedMetadata({ metadata }: EndpointSlice, { labels, triggerTime }: SliceOwner): ObjectMeta {
  const { [triggerTimeAnnotation]: _old, ...others } = metadata.annotations ?? {};
  const annotations = triggerTime === undefined ? others : { ...others, [triggerTimeAnnotation]: triggerTime };
  return { ...metadata, labels: { ...labels }, annotations };
}

/** Names what was being done, since the reason alone does not. */
function failedTo(act: string, { kind, object }: SliceOwner, cause: unknown): Error {
  return new Error(`failed to ${act} EndpointSlice for ${kind} ${keyOf(object)}: ${messageOf(cause)}`, { cause });
}
