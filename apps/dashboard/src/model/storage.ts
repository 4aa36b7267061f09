import type { KubeObject } from '@coracle/apimachinery';

interface PodWithVolumes extends KubeObject {
  readonly spec?: {
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

/** The pods that use each claim, by the claim's namespace and name. */
export function claimsInUse(pods: readonly KubeObject[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const { metadata, spec } of pods as readonly PodWithVolumes[])
    for (const { persistentVolumeClaim } of spec?.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const key = `${metadata.namespace}/${persistentVolumeClaim.claimName}`;
      users.set(key, [...(users.get(key) ?? []), metadata.name ?? '']);
    }
  return users;
}
