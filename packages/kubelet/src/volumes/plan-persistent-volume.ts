import type { PersistentVolume } from '@coracle/api';
import { ConfigError } from '../config-error.js';
import { ownershipOf } from './group-ownership.js';
import { nfsMount } from './nfs-source.js';
import { planPersistentCsi } from './plan-csi-volume.js';
import { claimDirectory } from './volume-directory.js';
import type { VolumePlan } from './volume-host.js';
import type { VolumeInput } from './volume-input.js';

export interface ClaimReference {
  /** Name of the volume in the pod. */
  readonly name: string;
  readonly claimName: string;
  readonly readOnly?: boolean;
  /** Whether the claim was created for this pod. */
  readonly ephemeral?: boolean;
}

/** The plan for the persistent volume of a claim. */
export async function planClaim(input: VolumeInput, claim: ClaimReference): Promise<VolumePlan> {
  const { namespace = '' } = input.pod.metadata;
  const volume = await input.references.claimedVolume(namespace, claim.claimName);
  if (!volume) throw new ConfigError(`error processing PVC ${namespace}/${claim.claimName}: PVC is not bound`);
  return planPersistentVolume(input, volume, claim);
}

async function planPersistentVolume(
  input: VolumeInput,
  volume: PersistentVolume,
  claim: ClaimReference,
): Promise<VolumePlan> {
  const { csi, local, hostPath, nfs, volumeMode, mountOptions = [] } = volume.spec ?? {};
  const claimedReadOnly = claim.readOnly ?? false;
  const directory = claimDirectory(input.pod, volume, input.root);
  if (csi)
    return planPersistentCsi(input, {
      volume,
      volumeName: claim.name,
      readOnly: claimedReadOnly || (csi.readOnly ?? false),
    });
  if (hostPath) return { kind: 'host-path', path: hostPath.path, type: hostPath.type ?? '' };
  if (nfs)
    return { ...nfsMount({ ...nfs, readOnly: claimedReadOnly || (nfs.readOnly ?? false) }), directory, mountOptions };
  if (!local) return { kind: 'unsupported', plugin: 'kubernetes.io/other' };
  if (volumeMode === 'Block') return { kind: 'block-device', path: local.path };
  return {
    kind: 'bind',
    directory,
    source: local.path,
    readOnly: claimedReadOnly,
    mountOptions,
    ...(local.fsType && { fsType: local.fsType }),
    ...ownershipOf(input.pod),
  };
}
