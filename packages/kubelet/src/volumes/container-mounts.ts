import type { Container, Pod, VolumeMount } from '@coracle/api';
import { type Mount, MountPropagation } from '@coracle/cri';
import { ConfigError } from '../config-error.js';
import { expandVariables } from '../environment/expand-variables.js';
import { volumeDirectory } from './volume-directory.js';

const propagations: Readonly<Record<string, MountPropagation>> = {
  None: MountPropagation.PROPAGATION_PRIVATE,
  HostToContainer: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  Bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
};

/** What a container sees of its pod's volumes, and where. */
export function containerMounts(pod: Pod, container: Container, variables: ReadonlyMap<string, string>): Mount[] {
  return (container.volumeMounts ?? []).map((mount) => {
    const volume = pod.spec?.volumes?.find(({ name }) => name === mount.name);
    if (!volume)
      throw new ConfigError(
        `cannot find volume ${JSON.stringify(mount.name)} to mount into container ${JSON.stringify(container.name)}`,
      );
    const { mountPath, readOnly = false, mountPropagation = 'None', recursiveReadOnly } = mount;
    const below = subPath(mount, variables);
    const common = {
      containerPath: mountPath.startsWith('/') ? mountPath : `/${mountPath}`,
      readonly: readOnly,
      propagation: propagations[mountPropagation] ?? MountPropagation.PROPAGATION_PRIVATE,
      recursiveReadOnly: readOnly && (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible'),
    };
    if (volume.image) return { ...common, image: { image: volume.image.reference ?? '' }, imageSubPath: below };
    const directory = volumeDirectory(pod, volume);
    return { ...common, hostPath: below === '' ? directory : `${directory}/${below}` };
  });
}

/** The part of the volume that is mounted; an expression in it must have all of its variables. */
function subPath({ subPath: plain = '', subPathExpr }: VolumeMount, variables: ReadonlyMap<string, string>): string {
  if (!subPathExpr) return plain;
  const missing: string[] = [];
  const path = expandVariables(subPathExpr, (name) => {
    if (!variables.has(name)) missing.push(name);
    return variables.get(name);
  });
  if (missing.length > 0)
    throw new ConfigError(`missing value for ${missing.map((name) => JSON.stringify(name)).join(', ')}`);
  return path;
}
