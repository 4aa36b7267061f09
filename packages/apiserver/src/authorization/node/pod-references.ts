import type { Container, Pod, Volume } from '@coracle/api';

/** `secrets/name`, `configmaps/name`, … in the pod's own namespace: what its node must be able to read. */
export function referencesOf({ spec, status }: Pod): Set<string> {
  const references = new Set<string>();
  const add = (resource: string, name: string | undefined) => {
    if (name) references.add(`${resource}/${name}`);
  };
  add('serviceaccounts', spec?.serviceAccountName);
  for (const { name } of spec?.imagePullSecrets ?? []) add('secrets', name);
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...((spec?.ephemeralContainers ?? []) as Container[]),
  ];
  for (const container of containers) addEnvironment(container, add);
  for (const volume of spec?.volumes ?? []) addVolume(volume, add);
  for (const { resourceClaimName } of spec?.resourceClaims ?? []) add('resourceclaims', resourceClaimName);
  for (const { resourceClaimName } of status?.resourceClaimStatuses ?? []) add('resourceclaims', resourceClaimName);
  add('resourceclaims', status?.extendedResourceClaimStatus?.resourceClaimName);
  return references;
}

type Add = (resource: string, name: string | undefined) => void;

function addEnvironment({ env = [], envFrom = [] }: Container, add: Add): void {
  for (const { valueFrom } of env) {
    add('secrets', valueFrom?.secretKeyRef?.name);
    add('configmaps', valueFrom?.configMapKeyRef?.name);
  }
  for (const { secretRef, configMapRef } of envFrom) {
    add('secrets', secretRef?.name);
    add('configmaps', configMapRef?.name);
  }
}

/** Volume sources whose credentials are in a secret that they name. */
const secretSources = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const;

function addVolume(volume: Volume, add: Add): void {
  add('secrets', volume.secret?.secretName);
  add('configmaps', volume.configMap?.name);
  add('persistentvolumeclaims', volume.persistentVolumeClaim?.claimName);
  add('secrets', volume.azureFile?.secretName);
  add('secrets', volume.csi?.nodePublishSecretRef?.name);
  for (const source of secretSources) add('secrets', volume[source]?.secretRef?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add('secrets', secret?.name);
    add('configmaps', configMap?.name);
  }
}
