import type { Container, Pod, Volume, VolumeMount } from '@coracle/api';
import { type Device, type Mount, MountPropagation } from '@coracle/cri';
import { ConfigError } from '../config-error.js';
import { expandVariables } from '../environment/expand-variables.js';

const propagations: Readonly<Record<string, MountPropagation>> = {
  None: MountPropagation.PROPAGATION_PRIVATE,
  HostToContainer: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  Bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
};

/** A mount of a container before its subPath is resolved. */
export interface PlannedMount {
  readonly volume: Volume;
  /** Relative to the volume; empty for all of it. */
  readonly subPath: string;
  readonly mount: Mount;
}

/** The mounts of a container. Throws a `ConfigError` if they are invalid. */
export function planContainerMounts(
  pod: Pod,
  container: Container,
  variables: ReadonlyMap<string, string>,
): PlannedMount[] {
  return (container.volumeMounts ?? []).map((mount) => {
    const volume = volumeNamed(pod, container, mount.name);
    const { mountPath, readOnly = false, mountPropagation = 'None', recursiveReadOnly } = mount;
    return {
      volume,
      subPath: subPathOf(mount, variables),
      mount: {
        containerPath: mountPath.startsWith('/') ? mountPath : `/${mountPath}`,
        readonly: readOnly,
        propagation: propagations[mountPropagation] ?? MountPropagation.PROPAGATION_PRIVATE,
        recursiveReadOnly: readOnly && (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible'),
      },
    };
  });
}

/** The block devices of a container, with their volumes. */
export function planContainerDevices(
  pod: Pod,
  container: Container,
): { readonly volume: Volume; readonly device: Device }[] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => ({
    volume: volumeNamed(pod, container, name),
    device: { containerPath: devicePath, permissions: 'mrw' },
  }));
}

function volumeNamed({ spec }: Pod, container: Container, name: string): Volume {
  const volume = spec?.volumes?.find((one) => one.name === name);
  if (volume) return volume;
  throw new ConfigError(
    `cannot find volume ${JSON.stringify(name)} to mount into container ${JSON.stringify(container.name)}`,
  );
}

/** The subPath of a mount; a subPathExpr must have all of its variables. */
function subPathOf({ subPath = '', subPathExpr }: VolumeMount, variables: ReadonlyMap<string, string>): string {
  if (!subPathExpr) return checkedPath(subPath);
  const missing: string[] = [];
  const path = expandVariables(subPathExpr, (name) => {
    if (!variables.has(name)) missing.push(name);
    return variables.get(name);
  });
  if (missing.length > 0)
    throw new ConfigError(`missing value for ${missing.map((name) => JSON.stringify(name)).join(', ')}`);
  return checkedPath(path);
}

/** Expanded variables may contain any path; a subPath must stay below its volume. */
function checkedPath(path: string): string {
  if (path.startsWith('/')) throw new ConfigError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..'))
    throw new ConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return path;
}
