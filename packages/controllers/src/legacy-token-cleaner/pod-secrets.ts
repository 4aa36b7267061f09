import type { Container, Pod, Volume } from '@coracle/api';

/** The names of all secrets that a pod uses, in its own namespace. */
export function secretsOfPod({ spec }: Pod): string[] {
  if (!spec) return [];
  const containers: Pick<Container, 'env' | 'envFrom'>[] = [
    ...spec.containers,
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  const names = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(secretsOfContainer),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ];
  return names.filter((name) => name !== undefined && name !== '') as string[];
}

function secretsOfContainer({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): (string | undefined)[] {
  return [
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
  ];
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    ...[
      volume.cephfs,
      volume.cinder,
      volume.flexVolume,
      volume.iscsi,
      volume.rbd,
      volume.scaleIO,
      volume.storageos,
    ].map((source) => source?.secretRef?.name),
    volume.csi?.nodePublishSecretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  ];
}
