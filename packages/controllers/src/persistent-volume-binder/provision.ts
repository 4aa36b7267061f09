import { type PersistentVolumeClaim, refs, type storagev1 } from '@coracle/api';
import type { ControllerContext } from '../controller.js';
import { legacyStorageProvisioner, storageProvisioner } from './annotations.js';
import type { ClaimEvent } from './plan-claim.js';

/**
 * Names the driver that provisions a volume for the claim, and reports that the claim waits for it. Drivers watch for
 * the annotation.
 */
export async function askForVolume(
  { client }: ControllerContext,
  claim: PersistentVolumeClaim,
  storageClass: storagev1.StorageClass | string,
): Promise<{ readonly claim: PersistentVolumeClaim; readonly event: ClaimEvent }> {
  if (typeof storageClass === 'string')
    return { claim, event: failure(`storageclass.storage.k8s.io "${storageClass}" not found`) };
  const { provisioner } = storageClass;
  if (provisioner.startsWith('kubernetes.io/'))
    return { claim, event: failure(`no volume plugin matched name: ${provisioner}`) };
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  const event: ClaimEvent = { type: 'Normal', reason: 'ExternalProvisioning', message };
  const { annotations = {} } = claim.metadata;
  if (annotations[storageProvisioner] === provisioner) return { claim, event };
  const claimAnnotations = {
    ...annotations,
    [legacyStorageProvisioner]: provisioner,
    [storageProvisioner]: provisioner,
  };
  const written = await client
    .resource(refs.persistentVolumeClaims, claim.metadata.namespace)
    .update({ ...claim, metadata: { ...claim.metadata, annotations: claimAnnotations } });
  return { claim: written, event };
}

function failure(message: string): ClaimEvent {
  return { type: 'Warning', reason: 'ProvisioningFailed', message };
}
