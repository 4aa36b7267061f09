import type { Container } from '@coracle/cri';
import { containerOf } from '../runtime-labels.js';

/** Maximum length of file names in most filesystems. */
const longestName = 255;
const suffix = '.log';

/** A symbolic link to the log of a container, for log collectors. */
export interface LogLink {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly containerId: string;
}

/** The directory of the links: `/var/log/containers`, beside `/var/log/pods`. */
export function logLinksDirectory(podLogsDir: string): string {
  return `${podLogsDir.slice(0, podLogsDir.lastIndexOf('/'))}/containers`;
}

/** `web-0_default_app-0123….log`; log collectors read the pod and the container from it. */
export function logLinkName({ namespace, pod, container, containerId }: LogLink): string {
  return shortened(`${pod}_${namespace}_${container}-${containerId}`) + suffix;
}

/** The prefix of all links to logs of a pod, including earlier pods of the same name. */
export function logLinkPrefix({ namespace, pod }: Pick<LogLink, 'namespace' | 'pod'>): string {
  return shortened(`${pod}_${namespace}_`);
}

/** The names of the links of containers in the runtime. */
export function logLinkNames(containers: readonly Container[]): Set<string> {
  return new Set(containers.map((one) => logLinkName({ ...containerOf(one), containerId: one.id ?? '' })));
}

function shortened(name: string): string {
  return name.slice(0, longestName - suffix.length);
}
