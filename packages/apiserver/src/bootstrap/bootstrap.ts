import { every, type Logger, type Millis } from '@coracle/base';
import type { ServerParts } from '../registry/subresource.js';
import { ensureApiServices } from './api-services.js';
import { ensureObjects, systemNamespaces, systemObjects } from './bootstrap-objects.js';
import { announceServer, ensureKubernetesService, type ServerAddress } from './kubernetes-service.js';

const checkEveryMs: Millis = 60_000;

export interface BootstrapOptions {
  /** The first address of the service range. */
  readonly clusterIp: string;
  readonly logger: Logger;
}

/** Keeps the system namespaces and the `kubernetes` service in being. */
export interface Upkeep extends Disposable {
  /** Puts the server behind the `kubernetes` service, once it can be reached there. */
  announce(address: ServerAddress): Promise<void>;
}

/** Makes what every cluster has. */
export async function bootstrapCluster(parts: ServerParts, options: BootstrapOptions): Promise<Upkeep> {
  let address: ServerAddress | undefined;
  const keepService = async () => {
    await ensureKubernetesService(parts, options.clusterIp);
    if (address) await announceServer(parts, address);
  };
  await ensureObjects(parts, systemNamespaces);
  await Promise.all([ensureObjects(parts, systemObjects), ensureApiServices(parts), keepService()]);
  const timer = every(parts.clock, checkEveryMs, () => {
    void keepInBeing(parts, keepService).catch((error: unknown) =>
      options.logger.error('system objects could not be kept in being', { error }),
    );
  });
  return {
    announce: async (where) => {
      address = where;
      await announceServer(parts, where);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

async function keepInBeing(parts: ServerParts, keepService: () => Promise<void>): Promise<void> {
  await ensureObjects(parts, systemNamespaces);
  await keepService();
}
