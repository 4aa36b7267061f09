import {
  type CSIDriver,
  isTerminalPod,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@coracle/api';

/** A volume that a node must have, for some pod of it. */
export interface WantedVolume {
  readonly volume: PersistentVolume;
  readonly driver: string;
  readonly handle: string;
  readonly pods: readonly Pod[];
}

export interface AttachmentView {
  readonly nodeName: string;
  /** By the name of the persistent volume. */
  readonly desired: ReadonlyMap<string, WantedVolume>;
  /** Attachments to this node, by the name of the persistent volume. */
  readonly attached: ReadonlyMap<string, VolumeAttachment>;
  /** Where else a volume is attached. */
  readonly elsewhere: (volumeName: string) => readonly string[];
  /** Names of persistent volumes that the kubelet has mounted. */
  readonly inUse: ReadonlySet<string>;
}

export interface AttachmentPlan {
  readonly attach: readonly WantedVolume[];
  /** Attachments that nothing needs any more. */
  readonly detach: readonly VolumeAttachment[];
  /** Volumes that only one node may have, and that another has. */
  readonly blocked: readonly WantedVolume[];
}

/** What must be attached to a node and what can be detached from it. */
export function planAttachments({ desired, attached, elsewhere, inUse }: AttachmentView): AttachmentPlan {
  const attach: WantedVolume[] = [];
  const blocked: WantedVolume[] = [];
  for (const [name, one] of desired) {
    if (attached.has(name)) continue;
    if (isExclusive(one.volume) && elsewhere(name).length > 0) blocked.push(one);
    else attach.push(one);
  }
  const detach = [...attached]
    .filter(([name, { metadata }]) => !desired.has(name) && !metadata.deletionTimestamp && !inUse.has(name))
    .map(([, attachment]) => attachment);
  return { attach, detach, blocked };
}

function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany');
}

/** As the status of nodes names a volume. */
export function uniqueVolumeName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  driver(name: string): CSIDriver | undefined;
}

/** The volumes that the pods of a node need attached: those of CSI drivers that do not say otherwise. */
export function wantedVolumes(pods: readonly Pod[], lookup: VolumeLookup): Map<string, WantedVolume> {
  const desired = new Map<string, WantedVolume>();
  for (const pod of pods) {
    if (isTerminalPod(pod)) continue;
    for (const volume of volumesOf(pod, lookup)) {
      const { driver = '', volumeHandle: handle = '' } = volume.spec?.csi ?? {};
      if (driver === '' || lookup.driver(driver)?.spec.attachRequired === false) continue;
      const name = volume.metadata.name ?? '';
      const entry = desired.get(name);
      desired.set(name, { volume, driver, handle, pods: [...(entry?.pods ?? []), pod] });
    }
  }
  return desired;
}

function volumesOf(pod: Pod, { claim, volume }: VolumeLookup): PersistentVolume[] {
  const { name: podName = '', namespace = '' } = pod.metadata;
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral && `${podName}-${name}`);
    const volumeName = claimName && claim(namespace, claimName)?.spec?.volumeName;
    const found = volumeName ? volume(volumeName) : undefined;
    return found ? [found] : [];
  });
}
