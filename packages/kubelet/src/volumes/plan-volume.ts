import { type Pod, podResources, type Volume } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { ownershipOf } from './group-ownership.js';
import { nfsMount } from './nfs-source.js';
import { planInlineCsi } from './plan-csi-volume.js';
import { planClaim } from './plan-persistent-volume.js';
import { pluginOf, volumeDirectory } from './volume-directory.js';
import { volumeFiles } from './volume-files.js';
import type { EmptyDirectoryPlan, VolumePlan } from './volume-host.js';
import type { VolumeInput } from './volume-input.js';

/** The plan for setting up a volume of a pod. Throws a `ConfigError` if an object that it needs is missing. */
export async function planVolume(input: VolumeInput, volume: Volume): Promise<VolumePlan> {
  const { pod, root } = input;
  const { emptyDir, hostPath, nfs, csi, image, persistentVolumeClaim, ephemeral } = volume;
  const directory = volumeDirectory(pod, volume, root);
  const files = await volumeFiles(input, volume);
  if (files) return { kind: 'files', directory, files, medium: mediumOf(volume), ...ownershipOf(pod) };
  if (emptyDir) return planEmptyDirectory(input, { directory, emptyDir });
  if (hostPath) return { kind: 'host-path', path: hostPath.path, type: hostPath.type ?? '' };
  if (nfs) return { ...nfsMount(nfs), directory, mountOptions: [] };
  if (csi) return planInlineCsi(input, { name: volume.name, csi, target: directory });
  if (image) return { kind: 'runtime' };
  if (persistentVolumeClaim) return planClaim(input, { ...persistentVolumeClaim, name: volume.name });
  if (ephemeral)
    return planClaim(input, { claimName: `${pod.metadata.name}-${volume.name}`, name: volume.name, ephemeral: true });
  return { kind: 'unsupported', plugin: `kubernetes.io/${pluginOf(volume)}` };
}

/** Of the volumes with objects, only config maps may be written to disk. */
function mediumOf({ configMap }: Volume): 'disk' | 'memory' {
  return configMap ? 'disk' : 'memory';
}

const hugePages = /^HugePages(?:-(.+))?$/;

function planEmptyDirectory(
  input: VolumeInput,
  { directory, emptyDir }: { readonly directory: string; readonly emptyDir: NonNullable<Volume['emptyDir']> },
): EmptyDirectoryPlan {
  const { medium = '', sizeLimit } = emptyDir;
  const common = { kind: 'empty-directory', directory, ...ownershipOf(input.pod) } as const;
  const huge = hugePages.exec(medium);
  if (huge) return { ...common, medium: 'hugepages', ...hugePageSize(input.pod, huge[1]) };
  if (medium !== 'Memory') return { ...common, medium: 'disk' };
  const sizes = [sizeLimit, memoryLimitOf(input.pod), input.allocatable['memory']].flatMap((text) =>
    text === undefined ? [] : [parseQuantity(text).value()],
  );
  const positive = sizes.filter((size) => size > 0);
  return { ...common, medium: 'memory', ...(positive.length > 0 && { sizeBytes: Math.min(...positive) }) };
}

/** The memory limit of the pod, if every container has one. */
function memoryLimitOf({ spec }: Pod): string | undefined {
  const containers = spec?.containers ?? [];
  if (!spec || containers.some(({ resources }) => resources?.limits?.['memory'] === undefined)) return undefined;
  return podResources(spec, 'limits').get('memory')?.toString();
}

/** The page size of the medium, or the only one that the pod requests. */
function hugePageSize(
  { spec }: Pod,
  named: string | undefined,
): { readonly pageSize?: string; readonly sizeBytes?: number } {
  const requests = [...podResources(spec ?? { containers: [] }, 'limits')].filter(([name]) =>
    name.startsWith('hugepages-'),
  );
  const chosen = requests.find(([name]) => named === undefined || name === `hugepages-${named}`);
  const pageSize = named ?? chosen?.[0].slice('hugepages-'.length);
  return { ...(pageSize && { pageSize }), ...(chosen && { sizeBytes: chosen[1].value() }) };
}
