import type { Container, Pod, Volume } from '@coracle/api';

/** Everything that a kubelet keeps for a pod. */
export function podDirectory({ metadata }: Pod): string {
  return `/var/lib/kubelet/pods/${metadata.uid}`;
}

/** What goes into the name of a volume's directory, by the field that describes the volume. */
const pluginNames: Readonly<Record<string, string>> = {
  configMap: 'configmap',
  csi: 'csi',
  downwardAPI: 'downward-api',
  emptyDir: 'empty-dir',
  ephemeral: 'csi',
  persistentVolumeClaim: 'csi',
  projected: 'projected',
  secret: 'secret',
};

/** Where a volume is on the node. */
export function volumeDirectory(pod: Pod, volume: Volume): string {
  if (volume.hostPath) return volume.hostPath.path;
  const field = Object.keys(volume).find((key) => key !== 'name') ?? '';
  return `${podDirectory(pod)}/volumes/kubernetes.io~${pluginNames[field] ?? field.toLowerCase()}/${volume.name}`;
}

/** The volumes that any of its containers mounts; nothing is done for others. */
export function mountedVolumes({ spec }: Pod): readonly Volume[] {
  const { volumes = [], containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  if (volumes.length === 0) return volumes;
  const all: readonly Pick<Container, 'volumeMounts' | 'volumeDevices'>[] = [
    ...initContainers,
    ...containers,
    ...ephemeralContainers,
  ];
  const names = new Set(
    all.flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
  return volumes.filter(({ name }) => names.has(name));
}
