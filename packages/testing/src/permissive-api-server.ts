import { type ApiServer, type ApiServerOptions, createApiServer, inProcess } from '@coracle/apiserver';
import { noMetrics, noTracer, seededRandom, silentLogger } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';

/**
 * An API server in memory that trusts the user of a request, allows everything, and has no admission plugins: for tests
 * and benchmarks of clients.
 */
export async function startPermissiveApiServer(
  options: Pick<ApiServerOptions, 'clock'> & Partial<ApiServerOptions>,
): Promise<ApiServer> {
  return await createApiServer({
    store: await createMemoryStore({ clock: options.clock }),
    random: seededRandom(1),
    logger: silentLogger,
    metrics: noMetrics,
    tracer: noTracer,
    authenticators: () => [inProcess],
    authorizer: () => ({ name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) }),
    admission: () => [],
    ...options,
  });
}
