import type { ContainerStats, PodSandboxStats } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';
import type { SimulatedSandbox } from './simulated-sandbox.js';

/** Usage of one container, and its CPU time since its start. */
export interface MeasuredUsage {
  readonly cpuCores: number;
  readonly cpuNanoSeconds: number;
  readonly memoryBytes: number;
}

export type Measure = (container: SimulatedContainer) => MeasuredUsage;

/** Usage of a sandbox and its containers. */
export function statsOf(sandbox: SimulatedSandbox, timestamp: number, measure: Measure): PodSandboxStats {
  const { id, metadata, labels, annotations } = sandbox.status;
  let [nanoSeconds, nanoCores, memoryBytes, processes] = [0, 0, 0, 0];
  const containers: ContainerStats[] = [];
  for (const container of sandbox.containers) {
    if (!container.running) continue;
    const usage = measure(container);
    nanoSeconds += usage.cpuNanoSeconds;
    nanoCores += nanoCoresOf(usage);
    memoryBytes += usage.memoryBytes;
    processes += container.behaviour.processes;
    containers.push(containerStats({ container, usage }, timestamp));
  }
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
        usageCoreNanoSeconds: { value: nanoSeconds },
        usageNanoCores: { value: nanoCores },
      },
      memory: { timestamp, workingSetBytes: { value: memoryBytes } },
      process: { timestamp, processCount: { value: processes } },
      containers,
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
