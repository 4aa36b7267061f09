import { DisposableStack } from '@coracle/base';
import { type Client, createEventRecorder } from '@coracle/client';
import type { Controller, ControllerContext } from './controller.js';

export interface ControllerManagerOptions extends Omit<ControllerContext, 'client' | 'recorder'> {
  readonly controllers: readonly Controller[];
  /** A client that acts as the given service account of kube-system. */
  clientFor(serviceAccount: string): Client;
}

/** Starts controllers, each under its own identity, on shared informers. */
export function startControllers({ controllers, clientFor, ...shared }: ControllerManagerOptions): AsyncDisposable {
  const parts = new DisposableStack();
  for (const controller of controllers) {
    const client = clientFor(controller.name);
    const recorder = parts.use(createEventRecorder({ ...shared, client, component: controller.name }));
    parts.use(controller.start({ ...shared, client, recorder }));
  }
  shared.informers.start();
  return parts;
}
