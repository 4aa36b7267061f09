import {
  type CSIDriver,
  isTerminalPod,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@coracle/api';
import { isConditionTrue } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** A volume that a pod of the node needs attached. */
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
  /** Other nodes to which a volume is attached. */
  readonly elsewhere: (volumeName: string) => readonly string[];
  /** Names of persistent volumes that the kubelet has mounted. */
  readonly inUse: ReadonlySet<string>;
  readonly health: NodeHealth;
  /** The time since when no pod needs an attached volume, by the name of the persistent volume. */
  readonly unwantedSince: ReadonlyMap<string, Millis>;
  readonly now: Millis;
  /** Time after which a volume is detached from an unhealthy node that has not unmounted it; unlimited by default. */
  readonly unmountMs: Millis | undefined;
}

export interface NodeHealth {
  readonly isReady: boolean;
  /** Whether it has the taint `node.kubernetes.io/out-of-service`: the administrator declares that it is shut down. */
  readonly isOutOfService: boolean;
}

/** Why a volume is force-detached. */
export type ForceReason = 'timeout' | 'out-of-service';

export interface Detachment {
  readonly attachment: VolumeAttachment;
  readonly forced: ForceReason | undefined;
}

export interface AttachmentPlan {
  readonly attach: readonly WantedVolume[];
  /** Attachments that no pod needs any more. */
  readonly detach: readonly Detachment[];
  /** Volumes that can be attached to one node only, and are attached to another. */
  readonly blocked: readonly WantedVolume[];
  /** When a volume that is still mounted may be force-detached, if its node is unhealthy then. */
  readonly forceAt: Millis | undefined;
}

/** The volumes to attach to a node and to detach from it. */
export function planAttachments(view: AttachmentView): AttachmentPlan {
  const { desired, attached, elsewhere } = view;
  const attach: WantedVolume[] = [];
  const blocked: WantedVolume[] = [];
  for (const [name, one] of desired) {
    if (attached.has(name)) continue;
    if (isExclusive(one.volume) && elsewhere(name).length > 0) blocked.push(one);
    else attach.push(one);
  }
  return { attach, blocked, ...planDetachments(view) };
}

/** A volume that is mounted is detached only from a node that can no longer use it. */
function planDetachments(view: AttachmentView): Pick<AttachmentPlan, 'detach' | 'forceAt'> {
  const { attached, desired, inUse, now } = view;
  const detach: Detachment[] = [];
  const deadlines: Millis[] = [];
  for (const [name, attachment] of attached) {
    if (desired.has(name) || attachment.metadata.deletionTimestamp) continue;
    const deadline = deadlineOf(name, view);
    const forced = forceReason(view, deadline);
    if (!inUse.has(name) || forced) detach.push({ attachment, forced });
    else if (deadline !== undefined && deadline > now) deadlines.push(deadline);
  }
  return { detach, forceAt: deadlines.length > 0 ? Math.min(...deadlines) : undefined };
}

function deadlineOf(name: string, { unwantedSince, now, unmountMs }: AttachmentView): Millis | undefined {
  return unmountMs === undefined ? undefined : (unwantedSince.get(name) ?? now) + unmountMs;
}

function forceReason({ health, now }: AttachmentView, deadline: Millis | undefined): ForceReason | undefined {
  if (!health.isReady && deadline !== undefined && deadline <= now) return 'timeout';
  return health.isOutOfService ? 'out-of-service' : undefined;
}

/** A missing node is unhealthy. */
export function healthOf(node: Node | undefined): NodeHealth {
  return {
    isReady: isConditionTrue(node?.status?.conditions, 'Ready'),
    isOutOfService: (node?.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service'),
  };
}

/** The times since when no pod has used attached volumes, from the previous times. */
export function unwantedVolumes(
  before: ReadonlyMap<string, Millis>,
  { attached, desired, now }: Pick<AttachmentView, 'attached' | 'desired' | 'now'>,
): Map<string, Millis> {
  const unwanted = [...attached.keys()].filter((name) => !desired.has(name));
  return new Map(unwanted.map((name) => [name, before.get(name) ?? now]));
}

function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany');
}

/** The name of a volume in the status of nodes. */
export function uniqueVolumeName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  driver(name: string): CSIDriver | undefined;
}

/** The volumes that the pods of a node need attached: those of CSI drivers that require attachment. */
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
