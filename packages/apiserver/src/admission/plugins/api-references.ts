import type { Pod } from '@coracle/api';
import { referencesOf } from '../../authorization/node/pod-references.js';

/** Volume → the API object that it refers to, as upstream names it. Other volumes refer to none. */
const byVolume: Readonly<Record<string, string>> = {
  azureFile: 'secrets (via azureFile volumes)',
  configMap: 'configmaps (via configmap volumes)',
  csi: 'csidrivers (via CSI volumes)',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  secret: 'secrets (via secret volumes)',
};

const byProjectedSource: Readonly<Record<string, string>> = {
  clusterTrustBundle: 'clustertrustbundles',
  configMap: 'configmaps (via projected volumes)',
  podCertificate: 'podcertificates',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
};

/** The first API resource that a pod needs, for a message; `undefined` if it needs none. */
export function apiReference(pod: Pod): string | undefined {
  const named = [...referencesOf(pod)];
  const builtInResource = ['serviceaccounts', 'secrets', 'configmaps'].find((resource) =>
    named.some((reference) => reference.startsWith(`${resource}/`)),
  );
  if (builtInResource !== undefined) return builtInResource;
  const { resourceClaims = [], volumes = [] } = pod.spec ?? {};
  if (resourceClaims.length > 0) return 'resourceclaims';
  return volumes
    .flatMap((volume) => [
      ...wordsFor(volume, byVolume),
      ...(volume.projected?.sources ?? []).flatMap((source) => wordsFor(source, byProjectedSource)),
    ])
    .at(0);
}

function wordsFor(source: object, table: Readonly<Record<string, string>>): string[] {
  return Object.entries(source).flatMap(([field, value]) => (value === undefined ? [] : (table[field] ?? [])));
}
