import type { Container, Pod, Volume } from '@coracle/api';
import { type Device, type Image, type Mount, MountPropagation } from '@coracle/cri';
import { fullNameOf, hostnameOf } from '../pod-hostname.js';
import { planContainerDevices, planContainerMounts } from './container-mounts.js';
import { nodeHostsFile, podHostsFile } from './etc-hosts.js';
import { podDirectory } from './volume-directory.js';
import type { ContainerFilesHost, VolumeHost } from './volume-host.js';

export interface ContainerMountInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  /** Environment variables, for subPathExpr. */
  readonly variables: ReadonlyMap<string, string>;
  readonly podIps: readonly string[];
  /** Images of image volumes, by the name of the volume. */
  readonly volumeImages?: ReadonlyMap<string, Image>;
  /** `cluster.local`. */
  readonly clusterDomain?: string;
}

/** The mounts of a container. */
export interface ContainerFilesystem {
  readonly mounts: Mount[];
  readonly devices: Device[];
}

interface Place {
  readonly host: VolumeHost | undefined;
  readonly pathOf: (volume: Volume) => string;
}

/** Prepares the volume parts that a container mounts, and the kubelet's own files for it. */
export async function containerFilesystem(input: ContainerMountInput, place: Place): Promise<ContainerFilesystem> {
  const { pod, container, variables } = input;
  const planned = planContainerMounts(pod, container, variables);
  const mounts: Mount[] = await Promise.all(
    planned.map(async ({ volume, subPath, mount }, index): Promise<Mount> => {
      if (volume.image) return imageMount(input, place, { volume, subPath, index, mount });
      return { ...mount, hostPath: await hostPathOf(input, place, { volume, subPath, index }) };
    }),
  );
  const devices = planContainerDevices(pod, container).map(({ volume, device }) => ({
    ...device,
    hostPath: place.pathOf(volume),
  }));
  const { host } = place;
  if (host?.files) mounts.push(...(await ownFiles(input, host, host.files)));
  return { mounts, devices };
}

/** Images are mounted by the runtime, or on the node where the runtime does not support it. They are read-only. */
async function imageMount(
  input: ContainerMountInput,
  place: Place,
  { mount, ...part }: VolumePart & { readonly mount: Mount },
): Promise<Mount> {
  const { volume, subPath } = part;
  const userSpecifiedImage = volume.image?.reference ?? '';
  const image = input.volumeImages?.get(volume.name)?.id || userSpecifiedImage;
  const { host, pathOf } = place;
  if (!host?.mountImage) return { ...mount, image: { image, userSpecifiedImage }, imageSubPath: subPath };
  await host.mountImage(image, pathOf(volume));
  return { ...mount, readonly: true, hostPath: await hostPathOf(input, place, part) };
}

interface VolumePart {
  readonly volume: Volume;
  readonly subPath: string;
  /** The path in the container. */
  readonly index: number;
}

async function hostPathOf(
  { pod, container }: ContainerMountInput,
  { host, pathOf }: Place,
  { volume, subPath, index }: VolumePart,
): Promise<string> {
  const volumePath = pathOf(volume);
  if (subPath === '') return volumePath;
  if (!host) return `${volumePath}/${subPath}`;
  const [volumeName, containerName] = [volume.name, container.name];
  try {
    const directory = podDirectory(pod, host.root);
    return await host.prepareSubPath({
      volumePath,
      subPath,
      podDirectory: directory,
      volumeName,
      containerName,
      index,
    });
  } catch (cause) {
    const [mount, of] = [volumeName, containerName].map((name) => JSON.stringify(name));
    throw new Error(`failed to prepare subPath for volumeMount ${mount} of container ${of}`, { cause });
  }
}

/** The file of a container's termination message. */
export function terminationLogPath(
  pod: Pod,
  name: string,
  { attempt, root }: { attempt: number; root: string },
): string {
  return `${podDirectory(pod, root)}/containers/${name}/${attempt}`;
}

/** `/etc/hosts`, unless the container mounts its own there, and the file for the termination message. */
async function ownFiles(input: ContainerMountInput, { root }: VolumeHost, files: ContainerFilesHost): Promise<Mount[]> {
  const { pod, container, attempt, podIps } = input;
  const mounts: Mount[] = [];
  const taken = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  if (podIps.length > 0 && !taken.has('/etc/hosts')) {
    const hostPath = `${podDirectory(pod, root)}/etc-hosts`;
    await files.write(hostPath, await hostsFile(input, files), 0o644);
    mounts.push(mountOf('/etc/hosts', hostPath));
  }
  if (container.terminationMessagePath) {
    const hostPath = terminationLogPath(pod, container.name, { attempt, root });
    await files.write(hostPath, '', 0o666);
    mounts.push(mountOf(container.terminationMessagePath, hostPath));
  }
  return mounts;
}

function mountOf(containerPath: string, hostPath: string): Mount {
  return { containerPath, hostPath, readonly: false, propagation: MountPropagation.PROPAGATION_PRIVATE };
}

const mostHostsBytes = 1024 * 1024;

async function hostsFile(input: ContainerMountInput, files: ContainerFilesHost): Promise<string> {
  const { spec } = input.pod;
  const aliases = spec?.hostAliases ?? [];
  if (spec?.hostNetwork) {
    const own = await files.readTail('/etc/hosts', mostHostsBytes);
    return nodeHostsFile(new TextDecoder().decode(own), aliases);
  }
  const fullName = fullNameOf(input.pod, input.clusterDomain ?? 'cluster.local');
  return podHostsFile({
    podIps: input.podIps,
    hostname: hostnameOf(input.pod),
    aliases,
    ...(fullName && { fullName }),
  });
}
