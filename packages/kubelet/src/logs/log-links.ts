import type { Container } from '@coracle/cri';
import { containerOf } from '../runtime-labels.js';

/** Most file systems take names of this many bytes. */
const longestName = 255;
const suffix = '.log';

/** A link to the log of a container, as agents that collect logs expect it. */
export interface LogLink {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly containerId: string;
}

/** Where links to the logs of containers are: `/var/log/containers`, beside `/var/log/pods`. */
export function logLinksDirectory(podLogsDir: string): string {
  return `${podLogsDir.slice(0, podLogsDir.lastIndexOf('/'))}/containers`;
}

/** `web-0_default_app-0123….log`; agents read the pod and the container from it. */
export function logLinkName({ namespace, pod, container, containerId }: LogLink): string {
  return shortened(`${pod}_${namespace}_${container}-${containerId}`) + suffix;
}

/** How the names of all links to logs of a pod begin: those of earlier pods of the same name, too. */
export function logLinkPrefix({ namespace, pod }: Pick<LogLink, 'namespace' | 'pod'>): string {
  return shortened(`${pod}_${namespace}_`);
}

/** The names of the links of containers that the runtime has. */
export function logLinkNames(containers: readonly Container[]): Set<string> {
  return new Set(containers.map((one) => logLinkName({ ...containerOf(one), containerId: one.id ?? '' })));
}

function shortened(name: string): string {
  return name.slice(0, longestName - suffix.length);
}
