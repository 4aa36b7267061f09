import { DisposableStack, type Metrics } from '@coracle/base';
import { type Client, createEventRecorder } from '@coracle/client';
import type { Controller, ControllerContext, DebugPage, RunningController } from './controller.js';
import { ownInformers } from './own-informers.js';
import { ResourceCatalog } from './resource-catalog.js';
import { controllerNamed } from './select-controllers.js';

export interface ControllerManagerOptions
  extends Omit<ControllerContext, 'client' | 'recorder' | 'catalog' | 'workers'> {
  readonly controllers: readonly Controller[];
  /** A client that acts as the given service account of kube-system. */
  clientFor(serviceAccount: string): Client;
  /** Number of concurrent syncs, by name of the controller, if configured. */
  readonly workers?: Readonly<Record<string, number>>;
}

/** Running controllers. */
export interface ControllerManager extends AsyncDisposable {
  readonly names: readonly string[];
  /** Debug endpoints of a controller: `/graph` of the garbage collector. */
  debug(controller: string, path: string, query: URLSearchParams): DebugPage | undefined;
}

/** Starts controllers, each under its own identity, on shared informers. */
export function startControllers(options: ControllerManagerOptions): ControllerManager {
  const { controllers, clientFor, workers = {}, ...shared } = options;
  const parts = new DisposableStack();
  const catalog = parts.use(new ResourceCatalog({ ...shared, client: clientFor('controller-discovery') }));
  const recorders: AsyncDisposable[] = [];
  const running = new Map<string, RunningController>();
  parts.defer(() => endAll(recorders));
  parts.defer(() => endAll(running.values()));
  for (const controller of controllers) {
    const { name, account = name, component = name } = controller;
    const client = clientFor(account);
    const recorder = createEventRecorder({ ...shared, client, component });
    recorders.push(recorder);
    const informers = ownInformers(shared.informers);
    running.set(name, controller.start({ ...shared, informers, client, catalog, recorder, workers: workers[name] }));
  }
  const isRunning = runningGauge(shared.metrics);
  for (const name of running.keys()) isRunning(name, true);
  parts.defer(() => {
    for (const name of running.keys()) isRunning(name, false);
  });
  shared.informers.start();
  return {
    names: [...running.keys()],
    debug: (name, path, query) => running.get(controllerNamed(name) ?? name)?.debug?.(path, query),
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

/** Controllers whose running state kube-controller-manager reports, with their names there. */
const reportedNames: ReadonlyMap<string, string> = new Map([
  ['node-ipam-controller', 'nodeipam'],
  ['node-route-controller', 'route'],
  ['service-lb-controller', 'service'],
]);

function runningGauge(metrics: Metrics): (controller: string, isRunning: boolean) => void {
  const gauge = metrics.gauge({
    name: 'running_managed_controllers',
    help: 'Indicates where instances of a controller are currently running',
    labels: ['name', 'manager'],
  });
  return (controller, isRunning) => {
    const name = reportedNames.get(controller);
    if (name !== undefined) gauge.set(isRunning ? 1 : 0, { name, manager: 'kube-controller-manager' });
  };
}

/** All at once, so that a busy controller does not keep the others running. */
async function endAll(parts: Iterable<AsyncDisposable>): Promise<void> {
  await Promise.all([...parts].map((part) => part[Symbol.asyncDispose]()));
}
