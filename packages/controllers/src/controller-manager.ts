import { DisposableStack } from '@coracle/base';
import { type Client, createEventRecorder } from '@coracle/client';
import type { Controller, ControllerContext } from './controller.js';
import { ResourceCatalog } from './resource-catalog.js';

export interface ControllerManagerOptions extends Omit<ControllerContext, 'client' | 'recorder' | 'catalog'> {
  readonly controllers: readonly Controller[];
  /** A client that acts as the given service account of kube-system. */
  clientFor(serviceAccount: string): Client;
}

/** Starts controllers, each under its own identity, on shared informers. */
export function startControllers({ controllers, clientFor, ...shared }: ControllerManagerOptions): AsyncDisposable {
  const parts = new DisposableStack();
  const catalog = parts.use(new ResourceCatalog({ ...shared, client: clientFor('controller-discovery') }));
  for (const controller of controllers) {
    const client = clientFor(controller.name);
    const recorder = parts.use(createEventRecorder({ ...shared, client, component: controller.name }));
    parts.use(controller.start({ ...shared, client, catalog, recorder }));
  }
  shared.informers.start();
  return parts;
}
