import { type ClusterOptions, startCluster } from '@coracle/cluster';
import { onDebugSignal, untilSignal } from './signals.js';

/** Runs a cluster in the foreground: says when it is ready, and stops in order when it is asked to. */
export async function runCluster(options: ClusterOptions, kubeconfigFile: string): Promise<void> {
  const startedAt = performance.now();
  // Listened for from the beginning: a cluster that is asked to end while it starts ends in order too.
  const askedToEnd = untilSignal();
  // Only for people who look on: whoever reads the output by program waits for the line that says it is ready.
  const onProgress = process.stderr.isTTY ? tellProgress : undefined;
  const cluster = await startCluster({
    ...options,
    kubeconfigFile,
    traces: true,
    onProgress,
    debugRequests: onDebugSignal,
  });
  try {
    // Counted from the start of the process, which is what a person waits for.
    const tookMs = Math.round(performance.now());
    const own = Math.round(tookMs - startedAt);
    process.stdout.write(`coracle is ready at ${cluster.url} after ${tookMs} ms (${own} ms of them its own)\n`);
    process.stdout.write(`export KUBECONFIG=${kubeconfigFile}\n`);
    await askedToEnd;
  } finally {
    await cluster.stop();
  }
}

/** One line for each part, with the time since the process began. */
function tellProgress(started: string): void {
  process.stderr.write(`${String(Math.round(performance.now())).padStart(6)} ms  ${started}\n`);
}
