import { type Clock, every, type Logger } from '@coracle/base';
import { ContainerState, type RuntimeService } from '@coracle/cri';
import type { KubeletSettings } from '../settings.js';
import type { LogFiles } from './log-files.js';
import { planRotation, rotationStamp } from './plan-rotation.js';

export interface LogRotationOptions {
  /** Absent if containers write no files. */
  readonly podLogFiles?: LogFiles;
  readonly runtime: RuntimeService;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Rotates the logs of containers. */
export class LogRotation implements Disposable {
  readonly #options: LogRotationOptions;
  readonly #checking: Disposable | undefined;
  #busy = false;

  constructor(options: LogRotationOptions) {
    this.#options = options;
    const { clock, settings, podLogFiles } = options;
    if (podLogFiles) this.#checking = every(clock, settings.containerLogMonitorInterval, () => void this.#tryCheck());
  }

  /** Rotates every log that exceeds the maximum size. */
  async check(): Promise<void> {
    const { runtime, podLogFiles, settings, logger } = this.#options;
    if (!podLogFiles) return;
    const state = { state: ContainerState.CONTAINER_RUNNING };
    const { containers = [] } = await runtime.listContainers({ filter: { state } });
    for (const { id = '' } of containers) {
      const { status } = await runtime.containerStatus({ containerId: id }).catch(() => ({ status: undefined }));
      const path = status?.logPath;
      if (!path || ((await podLogFiles.size(path)) ?? 0) < settings.containerLogMaxSize) continue;
      await this.#rotate(podLogFiles, path, id).catch((error) =>
        logger.error('A log could not be rotated', { path, error }),
      );
    }
  }

  [Symbol.dispose](): void {
    this.#checking?.[Symbol.dispose]();
  }

  async #tryCheck(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    await this.check().catch((error: unknown) => this.#options.logger.error('Logs could not be checked', { error }));
    this.#busy = false;
  }

  async #rotate(podLogFiles: LogFiles, path: string, containerId: string): Promise<void> {
    const { runtime, clock, settings } = this.#options;
    const slash = path.lastIndexOf('/');
    const [folder, log] = [path.slice(0, slash), path.slice(slash + 1)];
    const plan = planRotation(log, await podLogFiles.list(folder), settings.containerLogMaxFiles);
    for (const name of plan.remove) await podLogFiles.remove(`${folder}/${name}`);
    for (const name of plan.compress) await podLogFiles.compress(`${folder}/${name}`);
    const aside = `${path}.${rotationStamp(clock.now())}`;
    await podLogFiles.rename(path, aside);
    try {
      await runtime.reopenContainerLog({ containerId });
    } catch (error) {
      // The container continues to write to the renamed file, which is renamed back.
      await podLogFiles.rename(aside, path);
      throw error;
    }
  }
}
