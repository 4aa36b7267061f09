import type { Millis } from '@coracle/base';
import type { ContainerStats, PodSandboxStats } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';
import type { SimulatedSandbox } from './simulated-sandbox.js';

/** What a sandbox and its containers use, as their pod says. */
export function statsOf(sandbox: SimulatedSandbox, timestamp: number, now: Millis): PodSandboxStats {
  const { id, metadata, labels, annotations } = sandbox.status;
  const running = sandbox.containers.filter((container) => container.running);
  const sum = (of: (container: SimulatedContainer) => number) => running.reduce((total, one) => total + of(one), 0);
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
        usageCoreNanoSeconds: { value: sum((container) => cpuNanoSecondsOf(container, now)) },
        usageNanoCores: { value: sum(({ behaviour }) => behaviour.cpuCores * nanos) },
      },
      memory: { timestamp, workingSetBytes: { value: sum(({ behaviour }) => behaviour.memoryBytes) } },
      process: { timestamp, processCount: { value: sum(({ behaviour }) => behaviour.processes) } },
      containers: running.map((container) => containerStats(container, timestamp, now)),
    },
  };
}

const nanos = 1e9;

/** All that a container has used of CPUs, at the pace that its pod says. */
export function cpuNanoSecondsOf({ behaviour, startedAtMs }: SimulatedContainer, now: Millis): number {
  return Math.round(behaviour.cpuCores * Math.max(0, now - startedAtMs) * 1e6);
}

function containerStats(container: SimulatedContainer, timestamp: number, now: Millis): ContainerStats {
  const { id, config, behaviour, files } = container;
  return {
    attributes: {
      id,
      ...(config.metadata && { metadata: config.metadata }),
      ...(config.labels && { labels: config.labels }),
    },
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: cpuNanoSecondsOf(container, now) },
      usageNanoCores: { value: behaviour.cpuCores * nanos },
    },
    memory: {
      timestamp,
      workingSetBytes: { value: behaviour.memoryBytes },
      usageBytes: { value: behaviour.memoryBytes },
      rssBytes: { value: behaviour.memoryBytes },
    },
    writableLayer: {
      timestamp,
      fsId: { mountpoint: '/var/lib/containerd' },
      usedBytes: { value: behaviour.diskBytes + (files?.layerBytes ?? 0) },
      inodesUsed: { value: 1 },
    },
  };
}
