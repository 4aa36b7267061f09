import type { Pod } from '@coracle/api';
import type { RuntimeService } from '@coracle/cri';
import type { KubeletSettings } from '../settings.js';
import { cadvisorMetrics } from '../stats/cadvisor-metrics.js';
import { renderFamilies } from '../stats/exposition.js';
import type { HostStatsSource } from '../stats/host-stats.js';
import { kubeletStateFamilies, type WorkingPod } from '../stats/kubelet-metrics.js';
import { PodCounts } from '../stats/pod-counts.js';
import { resourceMetrics } from '../stats/resource-metrics.js';
import type { StatsCollector } from '../stats/stats-collector.js';
import type { NodeServerOptions, Page } from './node-server.js';

export interface NodePagesOptions {
  readonly nodeName: string;
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'listPodSandbox'>;
  /** The pods of the kubelet, and what it has counted of them, if it has had any. */
  readonly state: () => { readonly pods: readonly WorkingPod[]; readonly counts: PodCounts | undefined };
  readonly stats: StatsCollector;
  readonly hostStats?: HostStatsSource | undefined;
  readonly settings: KubeletSettings;
  /** What else is counted for the kubelet, and what its probes are, as text. */
  readonly renderMetrics: () => string;
  readonly renderProbes: () => string;
  /** With their statuses. */
  readonly pods: () => readonly Pod[];
}

const json = 'application/json';
const prometheus = 'text/plain; version=0.0.4; charset=utf-8';

/** The kubelet's endpoints for metrics and configuration. */
export function nodePages(options: NodePagesOptions): NodeServerOptions['pages'] {
  const { stats, hostStats, settings, pods, renderMetrics, renderProbes } = options;
  const metrics = (text: string): Page => ({ contentType: prometheus, text });
  return {
    '/stats/summary': async (query) => {
      const onlyCpuAndMemory = query.get('only_cpu_and_memory') === 'true';
      return { value: await stats.summary({ onlyCpuAndMemory }) };
    },
    '/metrics': async () => metrics(`${renderMetrics()}${await kubeletText(options)}`),
    '/metrics/resource': async () => metrics(resourceMetrics(await stats.summary({ onlyCpuAndMemory: true }))),
    '/metrics/cadvisor': async () => {
      const [summary, host] = await Promise.all([stats.summary({ onlyCpuAndMemory: false }), hostStats?.readStats()]);
      const at = { at: Date.parse(summary.node.startTime), bootedAt: 0 };
      return metrics(cadvisorMetrics(summary, host ?? at, { pods: pods(), settings }));
    },
    '/metrics/probes': async () => metrics(renderProbes()),
    '/configz': async () => ({ contentType: json, text: JSON.stringify({ kubeletconfig: settings }) }),
  };
}

async function kubeletText({ nodeName, runtime, stats, state }: NodePagesOptions): Promise<string> {
  const [{ items: sandboxes = [] }, { containers = [] }, { pods: usage }] = await Promise.all([
    runtime.listPodSandbox({}),
    runtime.listContainers({}),
    stats.summary({ onlyCpuAndMemory: false }),
  ]);
  const { pods, counts = new PodCounts() } = state();
  return renderFamilies([
    ...kubeletStateFamilies({ nodeName, pods, sandboxes, containers, usage }),
    ...counts.families(),
  ]);
}
