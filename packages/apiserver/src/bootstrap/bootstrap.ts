import { every, type Logger, type Millis } from '@coracle/base';
import type { ServerParts } from '../registry/subresource.js';
import { ensureApiServices } from './api-services.js';
import { ensureObjects, systemNamespaces, systemObjects } from './bootstrap-objects.js';
import { ensureKubernetesService, type KubernetesServiceOptions } from './kubernetes-service.js';

const checkEveryMs: Millis = 60_000;

export interface BootstrapOptions {
  /** Absent where nobody can reach the server over a network. */
  readonly kubernetesService?: KubernetesServiceOptions;
  readonly logger: Logger;
}

/** Makes what every cluster has, and keeps the system namespaces and the `kubernetes` service in being. */
export async function bootstrapCluster(parts: ServerParts, options: BootstrapOptions): Promise<Disposable> {
  await ensureObjects(parts, systemNamespaces);
  await Promise.all([ensureObjects(parts, systemObjects), ensureApiServices(parts), ensureService(parts, options)]);
  return every(parts.clock, checkEveryMs, () => {
    void keepInBeing(parts, options).catch((error: unknown) =>
      options.logger.error('system objects could not be kept in being', { error }),
    );
  });
}

async function keepInBeing(parts: ServerParts, options: BootstrapOptions): Promise<void> {
  await ensureObjects(parts, systemNamespaces);
  await ensureService(parts, options);
}

async function ensureService(parts: ServerParts, { kubernetesService }: BootstrapOptions): Promise<void> {
  if (kubernetesService) await ensureKubernetesService(parts, kubernetesService);
}
