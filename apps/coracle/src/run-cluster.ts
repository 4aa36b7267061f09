import { type Address, type ClusterOptions, startCluster } from '@coracle/cluster';
import type { ServedDashboard } from './dashboard/serve-dashboard.js';
import { collectAtRest } from './process/collect-at-rest.js';
import { onDebugSignal, untilSignal } from './process/signals.js';

/** Runs a cluster in the foreground: prints when it is ready, and shuts down gracefully on a signal. */
export async function runCluster(
  { dashboard, ...options }: ClusterOptions & { readonly dashboard?: Address | undefined },
  kubeconfigFile: string,
): Promise<void> {
  const startedAt = performance.now();
  // Handled from the beginning: a cluster that is signalled while it starts shuts down gracefully too.
  const askedToEnd = untilSignal();
  // Only for terminals: programs that read the output wait for the line that reports readiness.
  const onProgress = process.stderr.isTTY ? tellProgress : undefined;
  const cluster = await startCluster({
    ...options,
    kubeconfigFile,
    traces: true,
    onProgress,
    debugRequests: onDebugSignal,
  });
  using _collecting = collectAtRest();
  try {
    // Measured from the start of the process, which is what users wait for.
    const tookMs = Math.round(performance.now());
    const own = Math.round(tookMs - startedAt);
    process.stdout.write(
      `coracle is ready at ${cluster.url} after ${tookMs} ms (${own} ms without the start of Node.js)\n`,
    );
    process.stdout.write(`export KUBECONFIG=${kubeconfigFile}\n`);
    await using served = dashboard && (await startDashboard(dashboard, kubeconfigFile));
    if (served) process.stdout.write(`dashboard: ${served.issueLink()}\n`);
    await askedToEnd;
  } finally {
    await cluster.stop();
  }
}

/**
 * Started after the cluster is ready, so that the start does not wait for it; it reads from the cluster with the first
 * page.
 */
async function startDashboard({ host, port }: Address, path: string): Promise<ServedDashboard> {
  const { serveDashboard } = await import('./dashboard/serve-dashboard.js');
  const { loadConnection } = await import('@coracle/platform-nodejs');
  return serveDashboard({ host, port, login: 'link', connection: await loadConnection({ path }) });
}

/** One line for each part, with the time since the process began. */
function tellProgress(started: string): void {
  process.stderr.write(`${String(Math.round(performance.now())).padStart(6)} ms  ${started}\n`);
}
