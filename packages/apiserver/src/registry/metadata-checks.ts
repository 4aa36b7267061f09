import type { FieldError } from '@coracle/apimachinery';

/**
 * How often the rules of a kind look at the metadata of an update again, after the two looks that every update gets.
 * Once is the rule: the rest call the rules for new objects as well, on their own or beside those for updates.
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

/** These are looked at by the rules for new objects and by those for updates alike. */
const lookedAtByBoth = /^metadata\.(labels|annotations|ownerReferences)\b/;

/** What only the rules for updates look for: once for every update, and once for the kind. */
const comparedWithPrevious = /field is immutable|found new finalizers|must not be decremented/;

/** What is wrong with the metadata of an update, as often as upstream reports it. */
export function asOftenAsReported(errors: readonly FieldError[], { kind, apiVersion }: LookedAt): FieldError[] {
  // The rules for events of the first API look at nothing that all objects have.
  const again = kind === 'Event' && apiVersion === 'v1' ? 0 : (looks.get(kind) ?? 1);
  const shared = errors.filter(({ field }) => lookedAtByBoth.test(field));
  const compared = again === 0 ? [] : errors.filter(({ body }) => comparedWithPrevious.test(body));
  return [...errors, ...Array.from({ length: 1 + again }, () => shared).flat(), ...compared];
}

interface LookedAt {
  readonly kind: string;
  /** In which the client writes. */
  readonly apiVersion: string;
}
