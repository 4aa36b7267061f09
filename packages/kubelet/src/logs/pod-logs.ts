import type { Pod } from '@coracle/api';
import type { Activity, Logger } from '@coracle/base';
import { type Container, ContainerState, type ContainerStatus, type RuntimeService } from '@coracle/cri';
import { containerOf } from '../runtime-labels.js';
import type { KubeletSettings } from '../settings.js';
import { logDirectoryOf, podLogDirectory } from './log-directory.js';
import type { LogFiles } from './log-files.js';
import { type LogLink, logLinkName, logLinkNames, logLinkPrefix, logLinksDirectory } from './log-links.js';

export interface PodLogsOptions {
  /** Absent if containers write no files: then nothing is done. */
  readonly podLogFiles?: LogFiles;
  readonly runtime: RuntimeService;
  readonly settings: Pick<KubeletSettings, 'podLogsDir'>;
  readonly logger: Logger;
  readonly activity: Activity;
}

/**
 * Manages the links to logs of containers for log collectors. Logs and links are removed with their container or pod.
 */
export class PodLogs {
  readonly #options: PodLogsOptions;
  readonly #links: string;

  constructor(options: PodLogsOptions) {
    this.#options = options;
    this.#links = logLinksDirectory(options.settings.podLogsDir);
  }

  /** Creates the link of a container that has started. The container neither waits for it nor depends on it. */
  link(container: LogLink, log: string): void {
    const { podLogFiles } = this.#options;
    if (podLogFiles) void this.#link(podLogFiles, `${this.#links}/${logLinkName(container)}`, log);
  }

  /** Removes the logs of a container that is about to be removed, and their link. */
  async forgetContainer(container: Container | ContainerStatus): Promise<void> {
    const { podLogFiles, settings, logger } = this.#options;
    if (!podLogFiles) return;
    const { pod, namespace, uid, container: name } = containerOf(container);
    const folder = `${logDirectoryOf({ namespace, name: pod, uid }, settings.podLogsDir)}/${name}`;
    const log = `${container.metadata?.attempt ?? 0}.log`;
    const path = `${this.#links}/${logLinkName({ pod, namespace, container: name, containerId: container.id ?? '' })}`;
    try {
      for (const file of await podLogFiles.list(folder))
        if (file === log || file.startsWith(`${log}.`)) await podLogFiles.remove(`${folder}/${file}`);
      if ((await podLogFiles.target(path)) === `${folder}/${log}`) await podLogFiles.remove(path);
    } catch (error) {
      logger.error('The logs of a container could not be removed', { container: container.id, error });
    }
  }

  /** Removes the logs of a deleted pod. */
  async forget(pod: Pod): Promise<void> {
    const { podLogFiles, settings } = this.#options;
    if (!podLogFiles) return;
    const directory = podLogDirectory(pod, settings.podLogsDir);
    await podLogFiles.remove(directory);
    const { name = '', namespace = '' } = pod.metadata;
    const prefix = logLinkPrefix({ pod: name, namespace });
    for (const link of await podLogFiles.list(this.#links)) {
      const path = `${this.#links}/${link}`;
      if (link.startsWith(prefix) && (await podLogFiles.target(path))?.startsWith(`${directory}/`))
        await podLogFiles.remove(path);
    }
  }

  /** Removes the logs of pods that the node does not have, and links whose logs do not exist. */
  async removeOrphans(isKnown: (uid: string) => boolean): Promise<void> {
    const { podLogFiles, settings } = this.#options;
    if (!podLogFiles) return;
    for (const name of await podLogFiles.list(settings.podLogsDir)) {
      const uid = /^[^_]+_[^_]+_([^_]+)$/.exec(name)?.[1];
      if (uid !== undefined && !isKnown(uid)) await podLogFiles.remove(`${settings.podLogsDir}/${name}`);
    }
    await this.#removeDangling(podLogFiles);
  }

  async #link(podLogFiles: LogFiles, path: string, log: string): Promise<void> {
    const { activity, logger } = this.#options;
    using _busy = activity.begin();
    await podLogFiles
      .link(path, log)
      .catch((error: unknown) => logger.error('No link to a log could be made', { path, log, error }));
  }

  /** A log that is being rotated is temporarily missing: the links of containers that have not ended stay. */
  async #removeDangling(podLogFiles: LogFiles): Promise<void> {
    const dangling: string[] = [];
    for (const name of await podLogFiles.list(this.#links)) {
      const path = `${this.#links}/${name}`;
      if ((await podLogFiles.size(path)) === undefined && (await podLogFiles.target(path)) !== undefined)
        dangling.push(name);
    }
    if (dangling.length === 0) return;
    const { containers = [] } = await this.#options.runtime.listContainers({});
    const rotatable = logLinkNames(containers.filter(({ state }) => state !== ContainerState.CONTAINER_EXITED));
    for (const name of dangling) if (!rotatable.has(name)) await podLogFiles.remove(`${this.#links}/${name}`);
  }
}
