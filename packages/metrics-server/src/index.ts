export { createMetricsServer, type MetricsServer, type MetricsServerOptions } from './metrics-server.js';
export type { SummarySource } from './node-summaries.js';
export { type AdapterRules, parseAdapterRules } from './prometheus/adapter-rules.js';
export type { MetricsAdapterOptions } from './prometheus/adapter-work.js';
export type { ResourceFinder } from './prometheus/metric-catalog.js';
export { createMetricsAdapter } from './prometheus/metrics-adapter.js';
