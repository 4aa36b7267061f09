import type { Container, PersistentVolume, Pod, Volume } from '@coracle/api';

/** The default root directory of a kubelet. */
export const defaultRoot = '/var/lib/kubelet';

/** The directory of a pod. */
export function podDirectory({ metadata }: Pod, root: string = defaultRoot): string {
  return `${root}/pods/${metadata.uid}`;
}

/** The plugin name in the path of a volume's directory, by the field of the volume source. */
const pluginNames: Readonly<Record<string, string>> = {
  configMap: 'configmap',
  csi: 'csi',
  downwardAPI: 'downward-api',
  emptyDir: 'empty-dir',
  ephemeral: 'csi',
  local: 'local-volume',
  persistentVolumeClaim: 'csi',
  projected: 'projected',
  secret: 'secret',
};

/** The plugin of a volume, or of the persistent volume of its claim. */
export function pluginOf(source: object): string {
  const field = Object.keys(source).find((key) => key !== 'name') ?? '';
  return pluginNames[field] ?? field.toLowerCase();
}

/** The path of a volume on the node. */
export function volumeDirectory(pod: Pod, volume: Volume, root?: string): string {
  if (volume.hostPath) return volume.hostPath.path;
  const base = `${podDirectory(pod, root)}/volumes/kubernetes.io~${pluginOf(volume)}/${volume.name}`;
  return volume.csi ? `${base}/mount` : base;
}

/** The path at which the persistent volume of a claim is mounted for a pod. */
export function claimDirectory(pod: Pod, { metadata, spec = {} }: PersistentVolume, root?: string): string {
  const base = `${podDirectory(pod, root)}/volumes/kubernetes.io~${sourcePlugin(spec)}/${metadata.name}`;
  return spec.csi ? `${base}/mount` : base;
}

function sourcePlugin({ csi, local, nfs }: NonNullable<PersistentVolume['spec']>): string {
  return csi ? 'csi' : local ? 'local-volume' : nfs ? 'nfs' : 'other';
}

/** The volumes that a container mounts; others are not set up. */
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
