import type { Pod } from '@coracle/api';
import type { DirectorySize, VolumeHost } from '../volumes/volume-host.js';

/** The directory of a pod's logs, with a directory for each of its containers. */
export function podLogDirectory({ metadata }: Pod, podLogsDir: string): string {
  return logDirectoryOf(metadata, podLogsDir);
}

export function logDirectoryOf(
  { namespace, name, uid }: Pick<Pod['metadata'], 'namespace' | 'name' | 'uid'>,
  podLogsDir: string,
): string {
  return `${podLogsDir}/${namespace}_${name}_${uid}`;
}

/** Disk usage of the logs of each container; nothing where logs are not files. */
export async function logSizes(
  pod: Pod,
  podLogsDir: string,
  host: Pick<VolumeHost, 'measure' | 'files'> | undefined,
): Promise<Map<string, DirectorySize>> {
  const sizes = new Map<string, DirectorySize>();
  if (!host?.measure || !host.files) return sizes;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const directory = podLogDirectory(pod, podLogsDir);
  for (const { name } of [...containers, ...initContainers, ...ephemeralContainers])
    sizes.set(name, await host.measure(`${directory}/${name}`));
  return sizes;
}
