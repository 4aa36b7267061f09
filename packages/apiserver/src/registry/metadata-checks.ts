import type { FieldError } from '@coracle/apimachinery';

/**
 * Number of additional times that the rules of a kind validate the metadata of an update, after the two times of every
 * update. Mostly one; some kinds also call the rules for new objects, alone or with those for updates.
 */
const looksOfKinds: Readonly<Record<number, readonly string[]>> = {
  0: ['PodDisruptionBudget'],
  2: [
    'CSIStorageCapacity',
    'CertificateSigningRequest',
    'ConfigMap',
    'ControllerRevision',
    'DaemonSet',
    'DeviceClass',
    'Endpoints',
    'Ingress',
    'Job',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ReplicationController',
    'RuntimeClass',
    'Secret',
    'ServiceAccount',
    'StorageClass',
    'VolumeAttachment',
    'VolumeAttributesClass',
  ],
  3: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
};

const looks = new Map(
  Object.entries(looksOfKinds).flatMap(([count, kinds]) => kinds.map((kind) => [kind, Number(count)] as const)),
);

/** Checks that the rules for new objects and those for updates share. */
const lookedAtByBoth = /^metadata\.(labels|annotations|ownerReferences)\b/;

/** Checks of the rules for updates only: once for every update, and once for the kind. */
const comparedWithPrevious = /field is immutable|found new finalizers|must not be decremented/;

/** Field errors in the metadata of an update, as often as upstream reports them. */
export function asOftenAsReported(errors: readonly FieldError[], { kind, apiVersion }: LookedAt): FieldError[] {
  // Rules for events of the core group do not validate the common metadata.
  const again = kind === 'Event' && apiVersion === 'v1' ? 0 : (looks.get(kind) ?? 1);
  const shared = errors.filter(({ field }) => lookedAtByBoth.test(field));
  const compared = again === 0 ? [] : errors.filter(({ body }) => comparedWithPrevious.test(body));
  return [...errors, ...Array.from({ length: 1 + again }, () => shared).flat(), ...compared];
}

interface LookedAt {
  readonly kind: string;
  /** The version of the request. */
  readonly apiVersion: string;
}
