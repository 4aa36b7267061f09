import type { KubeObject, OwnerReference } from '@coracle/apimachinery';
import { type Clock, DisposableStack, type Millis } from '@coracle/base';
import { createWorkQueue, type InformerEvent, type Reconcile, runWorkers } from '@coracle/client';
import type { Controller, ControllerContext } from '../controller.js';
import { Collector } from './collector.js';
import { DependencyGraph, type GraphNode, type NodeType } from './dependency-graph.js';
import { drawGraph } from './draw-graph.js';
import { Monitors } from './monitors.js';

const defaultWorkers = 20;
/** Maximum time to wait at the start for resources that cannot be read. */
const syncTimeoutMs: Millis = 30_000;

/** Deletes objects whose owners no longer exist, and implements foreground deletion and orphaning. */
export const garbageCollector: Controller = {
  name: 'garbage-collector-controller',
  account: 'generic-garbage-collector',
  start(context) {
    const { clock, metrics } = context;
    const parts = new DisposableStack();
    const queueOf = (name: string) =>
      createWorkQueue<string>({ clock, metrics, name: `garbage_collector_attempt_to_${name}` });
    const toDelete = queueOf('delete');
    const toOrphan = queueOf('orphan');
    const graph = new DependencyGraph({
      attemptToDelete: ({ uid }) => toDelete.add(uid),
      attemptToOrphan: ({ uid }) => toOrphan.add(uid),
      invalidNamespace: (dependent, reference) => tellOfInvalidOwner(context, dependent, reference),
    });
    const run = (queue: typeof toDelete, reconcile: Reconcile<string>) => {
      const logger = context.logger.with({ controller: 'garbage-collector' });
      const { activity, workers = defaultWorkers } = context;
      parts.use(runWorkers({ queue, reconcile, workers, activity, logger }));
    };
    const monitors = parts.use(new Monitors(context, (type, event) => follow(graph, type, event)));
    const aborter = new AbortController();
    parts.defer(() => aborter.abort());
    const collector = new Collector({
      graph,
      context,
      enqueue: ({ uid }) => toDelete.add(uid),
      whole: async () => {
        if (!monitors.isComplete)
          await atMost(syncTimeoutMs, monitors.synced('all'), { clock, signal: aborter.signal });
      },
    });
    void begin({ context, monitors, parts, signal: aborter.signal }, () => {
      run(toDelete, (uid) => collector.attemptToDelete(uid));
      run(toOrphan, (uid) => collector.attemptToOrphan(uid));
    });
    return {
      debug: (path, query) => (path === '/graph' ? drawGraph(graph, query.getAll('uid')) : undefined),
      [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
    };
  },
};

interface Start {
  readonly context: ControllerContext;
  readonly monitors: Monitors;
  readonly parts: DisposableStack;
  readonly signal: AbortSignal;
}

/**
 * Work begins when the graph is complete: an owner that waits for its dependents must not be deleted because one was
 * unknown.
 */
async function begin({ context, monitors, parts, signal }: Start, work: () => void): Promise<void> {
  const { catalog, clock, activity, logger, metrics } = context;
  const starting = activity.begin();
  const update = createWorkQueue<string>({ clock, metrics, name: 'garbage_collector_monitors' });
  try {
    await monitors.update();
    await monitors.synced('built-in');
  } catch (error) {
    if (!signal.aborted) logger.error('Garbage collector failed to discover resources', { error });
    update.addRateLimited('all');
  } finally {
    starting[Symbol.dispose]();
  }
  await atMost(syncTimeoutMs, monitors.synced('all'), { clock, signal });
  if (signal.aborted) return;
  work();
  parts.use(catalog.onChange(() => update.add('all')));
  const failures = metrics.counter({
    name: 'garbagecollector_controller_resources_sync_error_total',
    help: 'Number of garbage collector resources sync errors',
  });
  const reconcile = () =>
    monitors.update().catch((error: unknown) => {
      failures.add(1);
      throw error;
    });
  parts.use(runWorkers({ queue: update, reconcile, activity, logger }));
  update.add('all');
}

/** Waits for a promise that never rejects, with a timeout. */
function atMost(
  ms: Millis,
  promise: Promise<void>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(ms, () => done());
    const done = () => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    void promise.then(done);
  });
}

function follow(graph: DependencyGraph, type: NodeType, { type: change, object }: InformerEvent<KubeObject>): void {
  if (change === 'deleted') graph.remove(object.metadata.uid ?? '');
  else graph.observe(type, object);
}

function tellOfInvalidOwner(
  { recorder }: ControllerContext,
  { type, namespace, name, uid }: GraphNode,
  owner: OwnerReference,
): void {
  const where = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
  recorder.event(
    { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid },
    'Warning',
    'OwnerRefInvalidNamespace',
    `ownerRef ${where} does not exist in namespace ${JSON.stringify(namespace)}`,
  );
}
