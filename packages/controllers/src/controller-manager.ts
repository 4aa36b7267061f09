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
  const recorders: AsyncDisposable[] = [];
  const running: AsyncDisposable[] = [];
  parts.defer(() => endAll(recorders));
  parts.defer(() => endAll(running));
  for (const controller of controllers) {
    const { name, account = name, component = name } = controller;
    const client = clientFor(account);
    const recorder = createEventRecorder({ ...shared, client, component });
    recorders.push(recorder);
    running.push(controller.start({ ...shared, client, catalog, recorder }));
  }
  shared.informers.start();
  return parts;
}

/** All at once: one that still works on something must not keep the others going. */
async function endAll(parts: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
}
