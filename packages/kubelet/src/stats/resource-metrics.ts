import { type MetricFamily, type MetricSample, renderFamilies } from './exposition.js';
import type { CpuStats, MemoryStats, Summary, SwapStats } from './summary.js';

interface Usage {
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
}

interface Measured extends Usage {
  readonly labels: Readonly<Record<string, string>>;
  readonly startTime: string;
}

const nanosInSecond = 1e9;

/** `/metrics/resource`: the metrics for schedulers and autoscalers. */
export function resourceMetrics({ node, pods }: Summary): string {
  const ofPods = pods.map(
    (pod): Measured => ({ ...pod, labels: { namespace: pod.podRef.namespace, pod: pod.podRef.name } }),
  );
  const ofContainers = pods.flatMap((pod) =>
    pod.containers.map((one): Measured => {
      const { namespace, name } = pod.podRef;
      return { ...one, labels: { container: one.name, namespace, pod: name } };
    }),
  );
  return renderFamilies([
    ...usageFamilies('node', [{ ...node, labels: {} }]),
    ...usageFamilies('pod', ofPods),
    ...usageFamilies('container', ofContainers),
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: '[STABLE] Start time of the container since unix epoch in seconds',
      samples: ofContainers.map(({ labels, startTime }) => ({ labels, value: Date.parse(startTime) / 1_000 })),
    },
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
      samples: [{ value: 0 }],
    },
  ]);
}

function usageFamilies(what: 'node' | 'pod' | 'container', all: readonly Measured[]): MetricFamily[] {
  const samples = (of: (usage: Usage) => { readonly value: number | undefined; readonly time: string } | undefined) =>
    all.map(({ labels, ...usage }): MetricSample => {
      const found = of(usage);
      return { labels, value: found?.value, ...(found && { at: Date.parse(found.time) }) };
    });
  return [
    {
      name: `${what}_cpu_usage_seconds_total`,
      type: 'counter',
      help: `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`,
      samples: samples(({ cpu }) => cpu && { value: seconds(cpu.usageCoreNanoSeconds), time: cpu.time }),
    },
    {
      name: `${what}_memory_working_set_bytes`,
      type: 'gauge',
      help: `[STABLE] Current working set of the ${what} in bytes`,
      samples: samples(({ memory }) => memory && { value: memory.workingSetBytes, time: memory.time }),
    },
    {
      name: `${what}_swap_usage_bytes`,
      type: 'gauge',
      help: `[ALPHA] Current swap usage of the ${what} in bytes. Reported only on non-windows systems`,
      samples: samples(({ swap }) => swap && { value: swap.swapUsageBytes, time: swap.time }),
    },
  ];
}

function seconds(nanos: number | undefined): number | undefined {
  return nanos === undefined ? undefined : nanos / nanosInSecond;
}
