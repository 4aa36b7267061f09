import type { ContainerStats, PodSandboxStats } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';
import type { SimulatedSandbox } from './simulated-sandbox.js';

/** What one container uses, and has used of CPUs since its start. */
export interface MeasuredUsage {
  readonly cpuCores: number;
  readonly cpuNanoSeconds: number;
  readonly memoryBytes: number;
}

export type Measure = (container: SimulatedContainer) => MeasuredUsage;

/** What a sandbox and its containers use. */
export function statsOf(sandbox: SimulatedSandbox, timestamp: number, measure: Measure): PodSandboxStats {
  const { id, metadata, labels, annotations } = sandbox.status;
  const running = sandbox.containers.filter((container) => container.running);
  const measured = running.map((container) => ({ container, usage: measure(container) }));
  const sum = (of: (one: Measured) => number) => measured.reduce((total, one) => total + of(one), 0);
  return {
    attributes: {
      ...(id && { id }),
      ...(metadata && { metadata }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    linux: {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: { value: sum(({ usage }) => usage.cpuNanoSeconds) },
        usageNanoCores: { value: sum(({ usage }) => nanoCoresOf(usage)) },
      },
      memory: { timestamp, workingSetBytes: { value: sum(({ usage }) => usage.memoryBytes) } },
      process: { timestamp, processCount: { value: sum(({ container }) => container.behaviour.processes) } },
      containers: measured.map((one) => containerStats(one, timestamp)),
    },
  };
}

interface Measured {
  readonly container: SimulatedContainer;
  readonly usage: MeasuredUsage;
}

function nanoCoresOf({ cpuCores }: MeasuredUsage): number {
  return Math.round(cpuCores * 1e9);
}

function containerStats({ container, usage }: Measured, timestamp: number): ContainerStats {
  const { id, config, behaviour, files } = container;
  const memory = { value: usage.memoryBytes };
  return {
    attributes: {
      id,
      ...(config.metadata && { metadata: config.metadata }),
      ...(config.labels && { labels: config.labels }),
    },
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: usage.cpuNanoSeconds },
      usageNanoCores: { value: nanoCoresOf(usage) },
    },
    memory: { timestamp, workingSetBytes: memory, usageBytes: memory, rssBytes: memory },
    writableLayer: {
      timestamp,
      fsId: { mountpoint: '/var/lib/containerd' },
      usedBytes: { value: behaviour.diskBytes + (files?.layerBytes ?? 0) },
      inodesUsed: { value: 1 },
    },
  };
}
