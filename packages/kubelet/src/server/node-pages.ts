import type { KubeletSettings } from '../settings.js';
import { cadvisorMetrics } from '../stats/cadvisor-metrics.js';
import type { HostStatsSource } from '../stats/host-stats.js';
import { resourceMetrics } from '../stats/resource-metrics.js';
import type { StatsCollector } from '../stats/stats-collector.js';
import type { NodeServerOptions, Page } from './node-server.js';

export interface NodePagesOptions {
  readonly stats: StatsCollector;
  readonly hostStats?: HostStatsSource | undefined;
  readonly settings: KubeletSettings;
  /** The kubelet's own metrics, and those of its probes, as text. */
  readonly renderMetrics: () => string;
  readonly renderProbes: () => string;
}

const json = 'application/json';
const prometheus = 'text/plain; version=0.0.4; charset=utf-8';

/** The kubelet's endpoints for metrics and configuration. */
export function nodePages(options: NodePagesOptions): NodeServerOptions['pages'] {
  const { stats, hostStats, settings, renderMetrics, renderProbes } = options;
  const metrics = (text: string): Page => ({ contentType: prometheus, text });
  return {
    '/stats/summary': async (query) => {
      const onlyCpuAndMemory = query.get('only_cpu_and_memory') === 'true';
      return { value: await stats.summary({ onlyCpuAndMemory }) };
    },
    '/metrics': async () => metrics(renderMetrics()),
    '/metrics/resource': async () => metrics(resourceMetrics(await stats.summary({ onlyCpuAndMemory: true }))),
    '/metrics/cadvisor': async () => {
      const [summary, host] = await Promise.all([stats.summary({ onlyCpuAndMemory: false }), hostStats?.readStats()]);
      return metrics(cadvisorMetrics(summary, host ?? { at: Date.parse(summary.node.startTime), bootedAt: 0 }));
    },
    '/metrics/probes': async () => metrics(renderProbes()),
    '/configz': async () => ({ contentType: json, text: JSON.stringify({ kubeletconfig: settings }) }),
  };
}
