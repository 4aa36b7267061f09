import { isBoundTo, type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import { bindCompleted, boundByController } from './annotations.js';
import type { VolumePhase } from './plan-volume.js';

/**
 * Binds both objects, in an order that allows interruption after any step: the volume refers to the claim first, so
 * that no other claim takes it; the claim becomes Bound last.
 */
export async function bind(
  context: ControllerContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<void> {
  const reserved = await pointAtClaim(context, volume, claim);
  const bound = await savePhase(context, reserved, 'Bound');
  const pointed = await pointAtVolume(context, claim, bound);
  await saveBoundStatus(context, pointed, bound);
}

async function pointAtClaim(
  { client }: ControllerContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.uid === uid && isBoundTo(claimRef, claim)) return volume;
  const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
  return client.resource(refs.persistentVolumes).update({
    ...volume,
    // Bindings made by a user are kept.
    metadata: isBoundTo(claimRef, claim) ? volume.metadata : annotated(volume.metadata, boundByController),
    spec: { ...volume.spec, claimRef: reference },
  } as PersistentVolume);
}

async function pointAtVolume(
  { client }: ControllerContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim> {
  const { name = '' } = volume.metadata;
  const isAsked = claim.spec?.volumeName === name;
  const metadata = annotated(isAsked ? claim.metadata : annotated(claim.metadata, boundByController), bindCompleted);
  if (isAsked && deepEqual(metadata, claim.metadata)) return claim;
  return client
    .resource(refs.persistentVolumeClaims, claim.metadata.namespace)
    .update({ ...claim, metadata, spec: { ...claim.spec, volumeName: name } });
}

function annotated<M extends { readonly annotations?: Record<string, string> }>(metadata: M, key: string): M {
  return metadata.annotations?.[key]
    ? metadata
    : { ...metadata, annotations: { ...metadata.annotations, [key]: 'yes' } };
}

async function saveBoundStatus(
  context: ControllerContext,
  claim: PersistentVolumeClaim,
  { spec = {} }: PersistentVolume,
): Promise<void> {
  const { volumeAttributesClassName } = spec;
  const isBound = claim.status?.phase === 'Bound';
  await saveClaimStatus(context, claim, {
    ...claim.status,
    phase: 'Bound',
    accessModes: spec.accessModes ?? [],
    // Once bound, its capacity is set by the components that expand it.
    ...(!isBound && { capacity: spec.capacity ?? {} }),
    ...(!isBound && volumeAttributesClassName && { currentVolumeAttributesClassName: volumeAttributesClassName }),
  });
}

export async function saveClaimStatus(
  { client }: ControllerContext,
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  if (deepEqual(status, claim.status ?? {})) return;
  await client.resource(refs.persistentVolumeClaims, claim.metadata.namespace).updateStatus({ ...claim, status });
}

/** A message is dropped when the phase changes. */
export async function savePhase(
  { client }: ControllerContext,
  volume: PersistentVolume,
  phase: VolumePhase,
  message?: string,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase && volume.status.message === message) return volume;
  const { message: _before, reason: _old, ...status } = volume.status ?? {};
  return client
    .resource(refs.persistentVolumes)
    .updateStatus({ ...volume, status: { ...status, phase, ...(message !== undefined && { message }) } });
}

/** Undoes `bind` on the volume; a volume that a user had bound beforehand stays reserved for that claim. */
export async function unbind(context: ControllerContext, volume: PersistentVolume): Promise<void> {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [boundByController]: isOwn, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, ...reference } = claimRef ?? {};
  const open = await context.client.resource(refs.persistentVolumes).update({
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: isOwn === undefined ? { ...spec, claimRef: reference } : spec,
  });
  await savePhase(context, open, 'Available');
}
