import { type Namespace, refs } from '@coracle/api';
import { isConflict, isNotFound, type KubeObject, type ObjectKey, parseTime } from '@coracle/apimachinery';
import { deepEqual, type Millis } from '@coracle/base';
import type { ReconcileResult } from '@coracle/client';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { retryLimiter } from '../retry-limiter.js';
import { deleteContent } from './delete-content.js';
import { type ContentReport, namespaceConditions } from './namespace-conditions.js';

const finalizer = 'kubernetes';
const writeAttempts = 10;
/** First retry interval: the blocker may be removed at any time, and users wait for the deletion. */
const retries = { baseMs: 5, maxMs: 60_000 };

/** Deletes the contents of terminating namespaces, and then finalizes them. */
export const namespaceController: Controller = {
  name: 'namespace-controller',
  start(context) {
    const { informers, clock } = context;
    const namespaces = informers.for(refs.namespaces);
    const isGoing = (name: string) => namespaces.get(name)?.metadata.deletionTimestamp !== undefined;
    return runKeyed(context, {
      name: 'namespace',
      workers: 10,
      limiter: retryLimiter(clock, retries),
      watch: (queue) => [
        namespaces.addHandler(({ type, object }) => {
          const { name = '', deletionTimestamp } = object.metadata;
          if (type !== 'deleted' && deletionTimestamp) queue.add(name);
        }),
        // The objects that take longest to delete: the last deletion triggers the next sync.
        ...[refs.pods, refs.persistentVolumeClaims].map((ref) => {
          const content = informers.for<KubeObject>(ref);
          return content.addHandler(({ type, object }) => {
            const { namespace = '' } = object.metadata;
            if (type === 'deleted' && isGoing(namespace) && content.list(namespace).length === 0) queue.add(namespace);
          });
        }),
      ],
      reconcile: (name) => reconcile(name, context),
    });
  },
};

async function reconcile(name: ObjectKey, context: ControllerContext): Promise<ReconcileResult | undefined> {
  const { client, clock } = context;
  // Several controllers may update it concurrently: only the server has the current state.
  const namespace = await client.namespaces().get(name).catch(ignoreGone);
  if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes(finalizer)) return undefined;
  const report = await deleteContent(name, context);
  const marked = await writeConditions(namespace, report, context);
  const [failure] = [...report.discoveryFailures, ...report.deletionFailures];
  if (failure !== undefined) throw new Error(failure);
  if (report.remaining.size > 0) {
    const now = clock.now();
    const waitedMs = now - (parseTime(namespace.metadata.deletionTimestamp) ?? now);
    return { requeueAfterMs: nextLookIn(report.estimateSeconds, waitedMs) };
  }
  if (marked) await finalize(marked, context);
  return undefined;
}

const shortestWaitMs: Millis = 250;

/** Retry interval: short at first, then longer, up to the estimated time. */
export function nextLookIn(estimateSeconds: number, waitedMs: Millis): Millis {
  return Math.min(Math.max(waitedMs / 2, shortestWaitMs), (Math.floor(estimateSeconds / 2) + 1) * 1000);
}

/** The current namespace, or `undefined` if it was deleted. */
function writeConditions(
  namespace: Namespace,
  report: ContentReport,
  context: ControllerContext,
): Promise<Namespace | undefined> {
  const { client, clock } = context;
  return writeLatest(namespace, context, async (current) => {
    const conditions = [...namespaceConditions(current.status?.conditions, report, clock.now())];
    const status = { ...current.status, conditions, phase: 'Terminating' };
    if (deepEqual(status, current.status)) return current;
    return client.namespaces().updateStatus({ ...current, status });
  });
}

/** Removes this controller's finalizer, and no other. The server removes a namespace that has none left. */
async function finalize(namespace: Namespace, context: ControllerContext): Promise<void> {
  const { client } = context;
  await writeLatest(namespace, context, (current) => {
    const finalizers = (current.spec?.finalizers ?? []).filter((name) => name !== finalizer);
    const next: Namespace = { ...current, apiVersion: 'v1', kind: 'Namespace', spec: { finalizers } };
    return client.namespaces().updateSubresource(current.metadata.name ?? '', 'finalize', next);
  });
}

/** Writes to the namespace, and retries with the newest version on a conflict. */
async function writeLatest(
  namespace: Namespace,
  { client }: ControllerContext,
  write: (current: Namespace) => Promise<Namespace>,
): Promise<Namespace | undefined> {
  const { name = '', uid } = namespace.metadata;
  let current: Namespace | undefined = namespace;
  for (let attempt = 1; current?.metadata.uid === uid && current; attempt++) {
    try {
      return await write(current);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt >= writeAttempts) throw error;
      current = await client.namespaces().get(name).catch(ignoreGone);
    }
  }
  return undefined;
}

function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
