import { type ApiResponse, StatusError } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { mediaTypes } from '../negotiation/output-form.js';
import { takesValues } from '../negotiation/respond.js';
import { convertingOutlet } from '../watching/converting-outlet.js';
import { parseSelection, type Selection } from '../watching/selection.js';
import { byteOutlet, valueOutlet } from '../watching/watch-outlets.js';
import { type EventOutlet, WatchSession, type WatchSource, type WatchStart } from '../watching/watch-session.js';
import { type ListOptions, parseListOptions } from './list-options.js';
import type { ResourceOperation } from './operation.js';
import { awaitFreshness, parseRevision } from './revision.js';

/** Streams changes of the selected objects until the timeout. */
export async function watchObjects(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource, form, deps } = operation;
  const options = parseListOptions(context, { streamsLists: deps.features.isOn('WatchList') });
  const selection = parseSelection(context, resource);
  const start = await planStart(operation, options);
  const timeoutMs = timeoutOf(operation, options);
  const meter = deps.sentEvents.meterOf(resource.info, takesValues(context) ? 'values' : 'bytes');
  const source = await sourceOf(operation, selection, start);
  const run = (outlet: EventOutlet) =>
    openSession(operation, { outlet, source }, { start, selection, timeoutMs, bookmarks: options.allowBookmarks });
  if (takesValues(context)) {
    const values = {
      open: (sink: Parameters<typeof valueOutlet>[1]) => {
        const session = run(
          convertingOutlet(resource, selection, (direct) => valueOutlet({ resource: direct, form }, sink, meter)),
        );
        sink.onClose(() => session.end());
        session.start();
      },
    };
    return { status: 200, headers: {}, body: { kind: 'values', values } };
  }
  const stream = {
    open: (sink: Parameters<typeof byteOutlet>[1]) => {
      const session = run(
        convertingOutlet(resource, selection, (direct) => byteOutlet({ ...operation, resource: direct }, sink, meter)),
      );
      sink.onDrain(() => session.onDrain());
      sink.onClose(() => session.end());
      session.start();
    },
  };
  const type = form.encoding === 'json' ? mediaTypes.json : `${mediaTypes[form.encoding]};stream=watch`;
  const headers = { 'content-type': type, 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: { kind: 'stream', stream } };
}

async function sourceOf(
  { resource }: ResourceOperation,
  { namespace }: Selection,
  start: WatchStart,
): Promise<WatchSource> {
  const { storage } = resource.stored;
  if (storage.isCached || start.kind === 'failure') return storage.cache;
  const prefix = namespace === '' ? storage.cache.options.prefix : storage.key(namespace, '');
  if (start.kind === 'after') return storage.openSource(prefix, start.revision);
  const revision = await storage.currentRevision();
  if (start.kind === 'now') return storage.openSource(prefix, revision);
  const { items } = await storage.listAt(prefix, { revision });
  return storage.openSource(prefix, revision, items);
}

function openSession(
  { context, resource, deps }: ResourceOperation,
  { outlet, source }: { readonly outlet: EventOutlet; readonly source: WatchSource },
  options: ConstructorParameters<typeof WatchSession>[0],
): WatchSession {
  const { signal } = context.request;
  const onAbort = () => session.end();
  const { group, resource: name } = resource.info;
  const isOver = deps.longRunning.begin('WATCH', resource.info, context.info);
  const session: WatchSession = new WatchSession(
    options,
    {
      cache: source,
      clock: deps.clock,
      budget: deps.budget,
      bookmarkTicks: deps.bookmarkTicks,
      onTooSlow: (waiting) => {
        deps.terminatedWatchers.add(1, { group, resource: name });
        deps.logger.info('watch closed: its client is too slow', { resource: name, group, waiting });
      },
    },
    {
      ...outlet,
      end: () => {
        deps.watches.delete(session);
        isOver();
        signal?.removeEventListener('abort', onAbort);
        outlet.end();
      },
    },
  );
  const { path, query } = context.request;
  deps.logger.debug('a watch begins', { path, query, timeoutMs: options.timeoutMs });
  deps.watches.add(session);
  signal?.addEventListener('abort', onAbort, { once: true });
  return session;
}

/** Only a watch that starts with all objects waits for a fresh cache: other watches wait for events anyway. */
async function planStart({ resource }: ResourceOperation, options: ListOptions): Promise<WatchStart> {
  const { storage } = resource.stored;
  const { resourceVersion, sendInitialEvents, allowBookmarks } = options;
  const revision = resourceVersion === '' ? undefined : parseRevision(resourceVersion);
  if (!(sendInitialEvents ?? !revision)) return revision ? { kind: 'after', revision } : { kind: 'now' };
  try {
    await awaitFreshness(storage, revision ?? (await storage.currentRevision()));
  } catch (error) {
    if (StatusError.is(error)) return { kind: 'failure', error };
    throw error;
  }
  return { kind: 'objects', marksEnd: sendInitialEvents === true && allowBookmarks };
}

function timeoutOf({ deps }: ResourceOperation, { timeoutSeconds }: ListOptions): Millis {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1000;
  return deps.minWatchMs * (1 + deps.random.next());
}
