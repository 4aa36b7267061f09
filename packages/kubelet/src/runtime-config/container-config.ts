import type { Container, Pod } from '@coracle/api';
import { type ContainerConfig, type IDMapping, type Mount, Signal } from '@coracle/cri';
import type { DeviceGrant } from '../devices/device-plugin.js';
import { expandVariables } from '../environment/expand-variables.js';
import { containerAnnotations, containerLabels } from '../runtime-labels.js';
import type { ContainerFilesystem } from '../volumes/container-filesystem.js';
import { containerResources, type ResourceInput } from './linux-resources.js';
import { containerSecurity, type ImageUser } from './security-context.js';

const encoder = new TextEncoder();

/** Inputs of a container configuration besides its pod. */
export interface ContainerParts extends Omit<ResourceInput, 'pod'> {
  readonly container: Container;
  readonly attempt: number;
  /** Its environment variables. */
  readonly variables: ReadonlyMap<string, string>;
  readonly filesystem: ContainerFilesystem;
  /** User of the image, if it has one. */
  readonly imageUser?: ImageUser;
  /** The image by id, so that it cannot be replaced meanwhile. */
  readonly imageRef?: string;
  /** Id of the container whose process namespace this one shares. */
  readonly targetId?: string;
  /** The user namespace of the pod, if it has one. */
  readonly idMapping?: IDMapping;
  /** Directory of seccomp profiles. */
  readonly seccompFolder: string;
  readonly seccompDefault: boolean;
  /** Runtime options of its devices. */
  readonly grant: DeviceGrant;
}

/** Volumes are mounted with the id mapping of the pod's user namespace. */
function mapped(mount: Mount, idMapping: IDMapping | undefined): Mount {
  return idMapping ? { ...mount, uidMappings: [idMapping], gidMappings: [idMapping] } : mount;
}

const signals: Readonly<Record<string, Signal>> = Signal;

/** Throws a `ConfigError` if the pod's configuration is invalid. */
export function containerConfig(pod: Pod, parts: ContainerParts): ContainerConfig {
  const { container, attempt, filesystem, imageRef, grant } = parts;
  const variables = new Map([...Object.entries(grant.envs), ...parts.variables]);
  const expand = (text: string) => expandVariables(text, (name) => variables.get(name));
  const stopSignal = signals[container.lifecycle?.stopSignal ?? ''];
  return {
    metadata: { name: container.name, attempt },
    image: { image: imageRef || (container.image ?? ''), userSpecifiedImage: container.image ?? '' },
    command: (container.command ?? []).map(expand),
    args: (container.args ?? []).map(expand),
    ...(container.workingDir && { workingDir: container.workingDir }),
    envs: Array.from(variables, ([key, value]) => ({ key, value: encoder.encode(value) })),
    mounts: [...filesystem.mounts.map((mount) => mapped(mount, parts.idMapping)), ...grant.mounts],
    devices: [...filesystem.devices, ...grant.devices],
    ...(grant.cdiDevices.length > 0 && { CDIDevices: grant.cdiDevices.map((name) => ({ name })) }),
    labels: containerLabels(pod, container),
    annotations: { ...containerAnnotations(pod, container, attempt), ...grant.annotations },
    logPath: `${container.name}/${attempt}.log`,
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: {
      resources: containerResources(container, { ...parts, pod }),
      securityContext: containerSecurity(pod, parts),
    },
    ...(stopSignal !== undefined && { stopSignal }),
  };
}
