import { type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { type ObjectKey, objectKey } from '@coracle/apimachinery';
import type { Controller } from '../controller.js';
import { runProtection } from '../run-protection.js';

const classIndex = 'volumeAttributesClass';

/** Allows the deletion of a VolumeAttributesClass when no claim and no volume refers to it. */
export const vacProtectionController: Controller = {
  name: 'volumeattributesclass-protection-controller',
  start(context) {
    const claims = context.informers.for(refs.persistentVolumeClaims);
    const volumes = context.informers.for(refs.persistentVolumes);
    claims.addIndex(classIndex, classesOfClaim);
    volumes.addIndex(classIndex, classesOfVolume);
    return runProtection(context, {
      name: 'vacprotection',
      ref: refs.volumeAttributesClasses,
      finalizer: 'kubernetes.io/vac-protection',
      watchUsers: (lookAt) => [
        claims.addHandler((event) => {
          for (const name of classesOfClaim(event.type === 'updated' ? event.previous : event.object))
            lookAt(key(name));
        }),
        volumes.addHandler((event) => {
          for (const name of classesOfVolume(event.type === 'updated' ? event.previous : event.object))
            lookAt(key(name));
        }),
      ],
      isUsed: ({ metadata }) =>
        claims.byIndex(classIndex, metadata.name ?? '').length > 0 ||
        volumes.byIndex(classIndex, metadata.name ?? '').length > 0,
    });
  },
};

function key(name: string): ObjectKey {
  return objectKey(undefined, name);
}

/** The requested class, the current one, and the target of a pending change. */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  return named([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);
}

function classesOfVolume({ spec }: PersistentVolume): string[] {
  return named([spec?.volumeAttributesClassName]);
}

function named(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
}
