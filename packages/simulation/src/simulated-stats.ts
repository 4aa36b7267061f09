import type { ContainerStats, PodSandboxStats } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';
import type { SimulatedSandbox } from './simulated-sandbox.js';

/** What a sandbox and its containers use, as their pod says. */
export function statsOf(sandbox: SimulatedSandbox, timestamp: number): PodSandboxStats {
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
      memory: { timestamp, workingSetBytes: { value: sum(({ behaviour }) => behaviour.memoryBytes) } },
      process: { timestamp, processCount: { value: sum(({ behaviour }) => behaviour.processes) } },
      containers: running.map((container) => containerStats(container, timestamp)),
    },
  };
}

function containerStats({ id, config, behaviour, files }: SimulatedContainer, timestamp: number): ContainerStats {
  return {
    attributes: {
      id,
      ...(config.metadata && { metadata: config.metadata }),
      ...(config.labels && { labels: config.labels }),
    },
    memory: { timestamp, workingSetBytes: { value: behaviour.memoryBytes } },
    writableLayer: {
      timestamp,
      fsId: { mountpoint: '/var/lib/containerd' },
      usedBytes: { value: behaviour.diskBytes + (files?.layerBytes ?? 0) },
      inodesUsed: { value: 1 },
    },
  };
}
