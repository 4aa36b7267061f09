import type { Node, Pod } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import type { PodStats, ResourceStats, StatsSummary } from './stats-summary.js';

export const apiVersion = 'metrics.k8s.io/v1beta1';

export interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

interface Metrics {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly timestamp: string;
  readonly window: string;
}

export interface NodeMetrics extends Metrics {
  readonly usage: Usage;
}

export interface PodMetrics extends Metrics {
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

/** The time over which kubelets measure CPU usage, as this server reports it. */
const window = '15s';

/** `undefined` while the kubelet has not measured both CPU and memory. */
export function computeNodeMetrics({ metadata }: Node, { node }: StatsSummary): NodeMetrics | undefined {
  const measured = measurementOf(node);
  if (!measured) return undefined;
  const { usage, time } = measured;
  return {
    kind: 'NodeMetrics',
    apiVersion,
    metadata: metadataOf(metadata, time),
    timestamp: time,
    window,
    usage,
  };
}

/** `undefined` while one of its containers has not been measured, or if the statistics are of an earlier pod. */
export function computePodMetrics({ metadata }: Pod, stats: PodStats): PodMetrics | undefined {
  if (stats.podRef?.uid && metadata.uid && stats.podRef.uid !== metadata.uid) return undefined;
  const containers: { name: string; usage: Usage }[] = [];
  let earliest: string | undefined;
  for (const container of stats.containers ?? []) {
    const measured = measurementOf(container);
    if (!measured) return undefined;
    if (earliest === undefined || measured.time < earliest) earliest = measured.time;
    containers.push({ name: container.name ?? '', usage: measured.usage });
  }
  if (earliest === undefined) return undefined;
  return {
    kind: 'PodMetrics',
    apiVersion,
    metadata: { ...metadataOf(metadata, earliest), namespace: metadata.namespace ?? '' },
    timestamp: earliest,
    window,
    containers,
  };
}

function metadataOf({ name = '', labels }: Node['metadata'], creationTimestamp: string): Metrics['metadata'] {
  return { name, creationTimestamp, ...(labels && { labels }) };
}

function measurementOf(stats: ResourceStats | undefined): { readonly usage: Usage; readonly time: string } | undefined {
  const { cpu, memory } = stats ?? {};
  if (cpu?.usageNanoCores === undefined || memory?.workingSetBytes === undefined) return undefined;
  return {
    usage: {
      cpu: new Quantity(BigInt(Math.round(cpu.usageNanoCores)), 'DecimalSI').toString(),
      memory: Quantity.of(Math.round(memory.workingSetBytes), 'BinarySI').toString(),
    },
    time: cpu.time ?? memory.time ?? '',
  };
}
