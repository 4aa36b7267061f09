import { type ControllerRevision, type PodTemplateSpec, refs } from '@coracle/api';
import { isAlreadyExists, isControlledBy, isNotFound, type LabelSelector } from '@coracle/apimachinery';
import { deepEqual, isRecord } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import { claim, controllerReferenceTo } from '../owner-claims.js';
import { claimable } from '../owner-index.js';
import type { PodOwner } from '../pod-control.js';

/** The label of pods with the revision of their template. */
export const revisionLabel = 'controller-revision-hash';

export interface HistoryOwner extends PodOwner {
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec | undefined;
  readonly collisionCount: number | undefined;
  /** Computes the name of a revision: daemon sets hash the template, stateful sets the data of the revision. */
  hashOf(template: PodTemplateSpec | undefined, collisionCount: number | undefined): string;
  /** The label or annotation with the hash, which differs between daemon sets and stateful sets. */
  readonly hashLabel: string;
  freshOwner(): Promise<PodOwner['object']>;
}

/** The revisions that belong to an owner, the oldest first. */
export async function revisionsOf(context: ControllerContext, owner: HistoryOwner): Promise<ControllerRevision[]> {
  const { client, informers } = context;
  const revisions = await claim<ControllerRevision>(claimable(informers.for(refs.controllerRevisions), owner.object), {
    owner: owner.object,
    ownerKind: owner,
    selector: owner.selector,
    freshOwner: owner.freshOwner,
    patch: (revision, patch) =>
      client
        .resource(refs.controllerRevisions, revision.metadata.namespace)
        .patch(revision.metadata.name ?? '', patch, { type: 'strategic' }),
  });
  return revisions.sort(byRevision);
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return Number(a.revision) - Number(b.revision) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

/** Revisions with this template, in the same order. */
export function equalRevisions(
  revisions: readonly ControllerRevision[],
  template: PodTemplateSpec | undefined,
): ControllerRevision[] {
  const data = revisionData(template);
  return revisions.filter((revision) => deepEqual(revision.data, data));
}

export interface UpdateRevision {
  readonly revision: ControllerRevision;
  readonly collisionCount: number | undefined;
}

/**
 * The revision of the current template: an existing one is moved to the end, as in a rollback, otherwise it is created.
 */
export async function updateRevision(
  context: ControllerContext,
  owner: HistoryOwner,
  revisions: readonly ControllerRevision[],
): Promise<UpdateRevision> {
  const existing = equalRevisions(revisions, owner.template).at(-1);
  const next = Math.max(0, ...revisions.filter((one) => one !== existing).map(({ revision }) => Number(revision))) + 1;
  const { collisionCount } = owner;
  if (!existing) return create(context, owner, next);
  if (existing.revision >= next) return { revision: existing, collisionCount };
  const revision = await context.client
    .resource(refs.controllerRevisions, existing.metadata.namespace)
    .update({ ...existing, revision: next });
  return { revision, collisionCount };
}

/** On a collision of names the hash includes the collision count. */
async function create(context: ControllerContext, owner: HistoryOwner, revision: number): Promise<UpdateRevision> {
  const revisions = context.client.resource(refs.controllerRevisions, owner.object.metadata.namespace);
  for (let { collisionCount } = owner; ; collisionCount = (collisionCount ?? 0) + 1) {
    const newRevision = makeRevision(owner, revision, collisionCount);
    try {
      return { revision: await revisions.create(newRevision), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await revisions.get(newRevision.metadata.name ?? '');
      const isOurs = isControlledBy(taken, owner.object);
      // A revision of this owner that the cache does not have yet.
      if (isOurs && deepEqual(taken.data, newRevision.data)) return { revision: taken, collisionCount };
    }
  }
}

function makeRevision(owner: HistoryOwner, revision: number, collisionCount: number | undefined): ControllerRevision {
  const hash = owner.hashOf(owner.template, collisionCount);
  const { name = '', namespace = '', annotations } = owner.object.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.template?.metadata?.labels, [owner.hashLabel]: hash },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerReferenceTo(owner.object, owner)],
    },
    data: revisionData(owner.template),
    revision,
  };
}

/**
 * A patch that takes the owner back to this template; `kubectl rollout undo` applies it as it is. Its keys are sorted
 * as Go sorts those of maps: programs in Go compare the bytes.
 */
export function revisionData(template: PodTemplateSpec | undefined): ControllerRevision['data'] & object {
  return { spec: { template: withSortedKeys({ ...template, $patch: 'replace' }) as object } };
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, withSortedKeys(field)]));
}

/** The template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _replace, ...template } =
    (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined)?.spec?.template ?? {};
  return template;
}

export interface Pruning {
  readonly limit: number;
  /** Revisions of existing pods, or otherwise in use, are kept regardless of the limit. */
  isLive(revision: ControllerRevision): boolean;
}

/** The revisions beyond the limit, the oldest first. Those in use do not count. */
export function planPruning(
  revisions: readonly ControllerRevision[],
  { limit, isLive }: Pruning,
): ControllerRevision[] {
  const idle = revisions.filter((revision) => !isLive(revision)).sort(byRevision);
  return idle.slice(0, Math.max(0, idle.length - limit));
}

export async function deleteRevisions(
  { client }: ControllerContext,
  revisions: readonly ControllerRevision[],
): Promise<void> {
  for (const { metadata } of revisions) {
    await client
      .resource(refs.controllerRevisions, metadata.namespace)
      .delete(metadata.name ?? '')
      .catch((error) => {
        if (!isNotFound(error)) throw error;
      });
  }
}
