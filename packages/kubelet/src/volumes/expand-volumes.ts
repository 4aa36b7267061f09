import { type Pod, refs, type Volume } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import { podReference } from '../container-reference.js';
import type { PodReferences } from '../pod-references.js';
import { planPersistentCsi } from './plan-csi-volume.js';
import { expandedStatus, neededExpansion } from './plan-expansion.js';
import { mountedVolumes } from './volume-directory.js';
import type { VolumeHost } from './volume-host.js';
import type { VolumeInput } from './volume-input.js';

export interface ExpandParts {
  readonly nodeName: string;
  readonly client: Client;
  readonly references: PodReferences;
  readonly recorder: EventRecorder;
  readonly host: Pick<VolumeHost, 'expand'>;
  readonly inputFor: (pod: Pod) => VolumeInput;
}

/** Expands the filesystems of CSI volumes that grew under a running pod, and updates the status of their claims. */
export async function expandVolumes(parts: ExpandParts, pod: Pod): Promise<void> {
  for (const volume of mountedVolumes(pod)) {
    const claim = claimNameOf(pod, volume);
    if (claim !== undefined) await expandVolume(parts, pod, { volume, claim });
  }
}

interface ClaimedVolume {
  readonly volume: Volume;
  readonly claim: string;
}

async function expandVolume(parts: ExpandParts, pod: Pod, { volume, claim: name }: ClaimedVolume): Promise<void> {
  const { references, client, recorder, host, inputFor, nodeName } = parts;
  const namespace = pod.metadata.namespace ?? '';
  const found = await references.claimedVolume(namespace, name);
  const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
  if (!found?.spec?.csi || readOnly || !host.expand) return;
  const claim = await references.claim(namespace, name);
  const size = claim && neededExpansion(claim, found);
  if (claim === undefined || size === undefined) return;
  const about = JSON.stringify(found.metadata.name);
  try {
    const plan = await planPersistentCsi(inputFor(pod), { volume: found, volumeName: volume.name, readOnly });
    if (!(await host.expand(plan, parseQuantity(size).value()))) return;
    await client
      .resource(refs.persistentVolumeClaims, namespace)
      .patch(name, expandedStatus(claim, size), { type: 'merge', subresource: 'status' });
    const text = `MountVolume.NodeExpandVolume succeeded for volume ${about} ${nodeName}`;
    recorder.event(podReference(pod), 'Normal', 'FileSystemResizeSuccessful', text);
  } catch (error) {
    const text = `MountVolume.NodeExpandVolume failed for volume ${about} : ${messageOf(error)}`;
    recorder.event(podReference(pod), 'Warning', 'VolumeResizeFailed', text);
  }
}

/** Ephemeral volumes have a claim named after pod and volume. */
function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata.name}-${name}`);
}
