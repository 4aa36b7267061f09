import { readFile } from 'node:fs/promises';
import { Activity, DisposableStack, type Logger, noMetrics, noTracer } from '@coracle/base';
import { createClient } from '@coracle/client';
import { runControllerManager, runScheduler } from '@coracle/control-plane';
import { createHttpTransport, createSystemRandom, loadConnection, systemClock } from '@coracle/platform-nodejs';

/** Which component runs, and with which cluster. */
export interface ComponentOptions {
  readonly component: 'controller-manager' | 'scheduler';
  /** Otherwise as kubectl finds it, or that of the pod it runs in. */
  readonly kubeconfig?: string;
  /** With one, it works only while it holds the lease. */
  readonly identity?: string;
  readonly rootCaFile?: string;
  readonly logger: Logger;
}

/** Runs one component against an API server somewhere. It acts as whoever the kubeconfig says. */
export async function runComponent(options: ComponentOptions): Promise<AsyncDisposable> {
  const { kubeconfig, identity, logger } = options;
  const parts = new DisposableStack();
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  const transport = parts.use(await createHttpTransport({ connection, logger, http2: true }));
  const client = createClient({ transport, userAgent: `coracle-${options.component}` });
  const shared = {
    // One identity for all: the server knows us by our credentials, not by what we say.
    clientFor: (user: string) => client.withUserAgent(user.replace(/^.*:/, '')),
    clock: systemClock,
    random: createSystemRandom(),
    logger,
    metrics: noMetrics,
    tracer: noTracer,
    activity: new Activity(),
    ...(identity && { leaderElection: { identity } }),
  };
  if (options.component === 'scheduler') parts.use(runScheduler(shared));
  else {
    const caCertificate = options.rootCaFile ? await readFile(options.rootCaFile, 'utf8') : '';
    parts.use(runControllerManager({ ...shared, caCertificate }));
  }
  return parts;
}
