import { LabelSelector, parseQuantity } from '@coracle/apimachinery';
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.js';

const legacyClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The class that a claim requests: `''` for none, `undefined` where it leaves that to the default class. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[legacyClassAnnotation] ?? spec?.storageClassName;
}

export function volumeClass({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[legacyClassAnnotation] ?? spec?.storageClassName ?? '';
}

/** Whether a volume's `claimRef` means this claim. One without a uid was written by a user beforehand. */
export function isBoundTo(reference: ObjectReference | undefined, { metadata }: PersistentVolumeClaim): boolean {
  if (!reference || reference.name !== metadata.name || reference.namespace !== metadata.namespace) return false;
  return !reference.uid || reference.uid === metadata.uid;
}

/** Why a volume cannot be bound to a claim that refers to it; `undefined` if it can. */
export function claimMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (sizeOf(volume) < requestOf(claim)) return 'requested PV is too small';
  if (volumeClass(volume) !== (claimClass(claim) ?? '')) return 'storageClassName does not match';
  if (modeOf(volume.spec) !== modeOf(claim.spec)) return 'incompatible volumeMode';
  if (!hasModes(volume, claim)) return 'incompatible accessMode';
  if (!hasAttributesClass(volume, claim)) return 'volumeAttributesClassName does not match';
  return undefined;
}

export interface MatchOptions {
  /** The scheduler will choose: only a volume that was bound to the claim beforehand is found. */
  readonly delayed?: boolean;
  /** Whether a volume is accessible from the given node; from any node by default. */
  readonly isReachable?: (volume: PersistentVolume) => boolean;
  /** Volumes that are spoken for. */
  readonly excluded?: ReadonlySet<string>;
}

/**
 * The volume that a claim should be bound to: one that was bound to it beforehand, else the smallest that is large
 * enough, among those with the fewest access modes beyond the ones requested.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: MatchOptions = {},
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) =>
      !options.excluded?.has(volume.metadata.name ?? '') &&
      (!volume.spec?.claimRef || isBoundTo(volume.spec.claimRef, claim)) &&
      !volume.metadata.deletionTimestamp &&
      sizeOf(volume) >= requestOf(claim) &&
      modeOf(volume.spec) === modeOf(claim.spec) &&
      hasModes(volume, claim) &&
      hasAttributesClass(volume, claim) &&
      (options.isReachable?.(volume) ?? true),
  );
  const prebound = fitting.find(({ spec }) => spec?.claimRef);
  if (prebound || options.delayed) return prebound;
  const selector = claim.spec?.selector ? LabelSelector.fromObject(claim.spec.selector) : undefined;
  const candidates = fitting.filter(
    (volume) =>
      volume.status?.phase === 'Available' &&
      volumeClass(volume) === (claimClass(claim) ?? '') &&
      (selector?.matches(volume.metadata.labels ?? {}) ?? true),
  );
  return candidates.reduce<PersistentVolume | undefined>(
    (best, volume) => (best && !isBetter(volume, best) ? best : volume),
    undefined,
  );
}

function isBetter(volume: PersistentVolume, than: PersistentVolume): boolean {
  const modes = (volume.spec?.accessModes ?? []).length - (than.spec?.accessModes ?? []).length;
  return modes < 0 || (modes === 0 && sizeOf(volume) < sizeOf(than));
}

function sizeOf({ spec }: PersistentVolume): bigint {
  return parseQuantity(spec?.capacity?.['storage'] ?? '0').nanos;
}

function requestOf({ spec }: PersistentVolumeClaim): bigint {
  return parseQuantity(spec?.resources?.requests?.['storage'] ?? '0').nanos;
}

function modeOf(spec: { readonly volumeMode?: string } | undefined): string {
  return spec?.volumeMode ?? 'Filesystem';
}

function hasModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}

function hasAttributesClass({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}
