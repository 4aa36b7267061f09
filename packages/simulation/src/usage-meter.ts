import type { Pod } from '@coracle/api';
import type { Clock } from '@coracle/base';
import type { SimulatedContainer } from './simulated-container.js';
import type { TotalUse } from './simulated-host.js';
import type { MeasuredUsage } from './simulated-stats.js';
import { type UsageFunction, usageNow } from './simulated-usage.js';

export interface UsageMeterOptions {
  readonly clock: Clock;
  readonly podOf?: (podUid: string) => Pod | undefined;
  readonly usage?: () => UsageFunction | undefined;
}

const uidLabel = 'io.kubernetes.pod.uid';

/** Measures the usage of the running containers of a node. */
export class UsageMeter {
  readonly #options: UsageMeterOptions;
  readonly #running = new Set<SimulatedContainer>();
  /** CPU time of containers that have ended, in nanoseconds: the total of a machine does not fall. */
  #endedNanoSeconds = 0;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
  }

  add(container: SimulatedContainer): void {
    this.#running.add(container);
  }

  end(container: SimulatedContainer): void {
    if (this.#running.delete(container)) this.#endedNanoSeconds += this.measure(container).cpuNanoSeconds;
  }

  readonly measure = (container: SimulatedContainer): MeasuredUsage => {
    const { clock, podOf, usage } = this.#options;
    const now = clock.now();
    const pod = podOf?.(container.config.labels?.[uidLabel] ?? '');
    const current = usageNow({ container, pod, usage: usage?.(), now });
    return { ...current, cpuNanoSeconds: container.cpu.read(current.cpuCores, container.startedAtMs, now) };
  };

  /** Usage of all running containers, and the size of images. */
  total(imageBytes: number): TotalUse {
    let [memoryBytes, diskBytes, processes, cpuNanoSeconds, cpuCores] = [0, imageBytes, 0, this.#endedNanoSeconds, 0];
    for (const container of this.#running) {
      const usage = this.measure(container);
      cpuNanoSeconds += usage.cpuNanoSeconds;
      cpuCores += usage.cpuCores;
      memoryBytes += usage.memoryBytes;
      diskBytes += container.behaviour.diskBytes;
      processes += container.behaviour.processes;
    }
    return { memoryBytes, diskBytes, processes, cpuNanoSeconds, cpuCores };
  }
}
