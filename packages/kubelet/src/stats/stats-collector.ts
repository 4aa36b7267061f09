import type { Pod } from '@coracle/api';
import type { Clock } from '@coracle/base';
import type { PodSandboxStats } from '@coracle/cri';
import type { FsStats } from '../fs-stats.js';
import { logSizes } from '../logs/log-directory.js';
import type { KubeletSettings } from '../settings.js';
import { mountedVolumes, podDirectory, volumeDirectory } from '../volumes/volume-directory.js';
import type { VolumeHost } from '../volumes/volume-host.js';
import { computeSummary, type PodMeasurement } from './compute-summary.js';
import type { HostStatsSource } from './host-stats.js';
import { readSandboxStats, type StatsRuntime } from './sandbox-stats.js';
import type { Summary } from './summary.js';
import { UsageRates } from './usage-rates.js';

export interface StatsCollectorOptions {
  readonly nodeName: string;
  readonly runtime: StatsRuntime;
  readonly clock: Clock;
  readonly settings: Pick<KubeletSettings, 'podLogsDir'>;
  readonly pods: () => readonly Pod[];
  readonly hostStats?: HostStatsSource | undefined;
  readonly volumeHost?: VolumeHost | undefined;
}

export interface SummaryOptions {
  readonly onlyCpuAndMemory: boolean;
}

/** Collects the usage of the node and its pods from the runtime and the machine. */
export class StatsCollector {
  readonly #options: StatsCollectorOptions;
  readonly #rates = new UsageRates();

  constructor(options: StatsCollectorOptions) {
    this.#options = options;
  }

  async summary({ onlyCpuAndMemory }: SummaryOptions): Promise<Summary> {
    const { nodeName, clock, hostStats, pods } = this.#options;
    const now = clock.now();
    const [host, stats] = await Promise.all([
      hostStats?.readStats() ?? { at: now, bootedAt: now },
      readSandboxStats(this.#options.runtime),
    ]);
    this.#rates.forget(now);
    const measured = await Promise.all(
      pods().flatMap((pod) => {
        const found = stats.get(pod.metadata.uid ?? '');
        return found ? [this.#measure(pod, found, onlyCpuAndMemory)] : [];
      }),
    );
    const rateOf = (key: string, total: number, at: number) => this.#rates.nanoCores(key, total, at);
    return computeSummary({ nodeName, host, pods: measured, onlyCpuAndMemory, rateOf });
  }

  async #measure(pod: Pod, stats: PodSandboxStats, onlyCpuAndMemory: boolean): Promise<PodMeasurement> {
    if (onlyCpuAndMemory) return { pod, stats, volumes: new Map(), logs: new Map() };
    const { settings, volumeHost } = this.#options;
    const [volumes, logs] = await Promise.all([this.#volumes(pod), logSizes(pod, settings.podLogsDir, volumeHost)]);
    return { pod, stats, volumes, logs };
  }

  /** Volumes on a shared filesystem are measured; those with their own filesystem report its usage. */
  async #volumes(pod: Pod): Promise<Map<string, Omit<FsStats, 'time'>>> {
    const { volumeHost, hostStats } = this.#options;
    const found = new Map<string, Omit<FsStats, 'time'>>();
    if (!volumeHost?.measure || !hostStats) return found;
    const driverStats = await volumeHost.driverStats?.(podDirectory(pod, volumeHost.root));
    for (const volume of mountedVolumes(pod)) {
      const own = driverStats?.get(volume.name);
      if (own) found.set(volume.name, own);
      if (own ?? volume.csi ?? volume.persistentVolumeClaim) continue;
      if (volume.hostPath || volume.image) continue;
      const directory = volumeDirectory(pod, volume, volumeHost.root);
      const room = await hostStats.filesystemOf(directory);
      if (!room) continue;
      const size = await volumeHost.measure(directory);
      found.set(volume.name, { ...room, usedBytes: size.bytes, inodesUsed: size.inodes });
    }
    return found;
  }
}
