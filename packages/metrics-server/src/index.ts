export { createMetricsServer, type MetricsServer, type MetricsServerOptions } from './metrics-server.js';
export type { SummarySource } from './node-summaries.js';
