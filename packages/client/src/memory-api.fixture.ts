import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  alreadyExists,
  asStatusError,
  conflict,
  type Exchange,
  expired,
  initialEventsEnd,
  type KubeObject,
  notFound,
  type ResponseBody,
  type WatchEvent,
} from '@coracle/apimachinery';
import { deepCopy, isRecord } from '@coracle/base';

interface Change {
  readonly revision: number;
  readonly collection: string;
  readonly event: WatchEvent<KubeObject>;
}

interface Watcher {
  readonly collection: string;
  readonly send: (event: WatchEvent<KubeObject>) => void;
  readonly end: () => void;
}

/**
 * A very small API server for tests of the client alone: objects in a map, one revision for all, watches with initial
 * events and bookmarks. It has no kinds and no validation, and its history can be compacted.
 */
export class MemoryApi {
  readonly requests: ApiRequest[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  readonly #watchers = new Set<Watcher>();
  #revision = 100;
  #compacted = 0;
  /** Behaves like an old server: rejects `sendInitialEvents`. */
  supportsWatchList = true;

  readonly exchange: Exchange = async (request) => {
    this.requests.push(request);
    try {
      return this.#answer(request);
    } catch (error) {
      const { status } = asStatusError(error);
      return answer(request, status.code, status);
    }
  };

  get revision(): number {
    return this.#revision;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  objects(collection: string): KubeObject[] {
    return [...this.#objects].filter(([path]) => isIn(path, collection)).map(([, object]) => object);
  }

  /** Drops the history: older versions can be neither listed nor watched. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history.length = 0;
  }

  /** Closes every watch normally. */
  closeWatches(): void {
    for (const watcher of [...this.#watchers]) watcher.end();
  }

  bookmark(): void {
    for (const watcher of this.#watchers) watcher.send(this.#bookmark(false));
  }

  put(path: string, object: KubeObject): KubeObject {
    const exists = this.#objects.has(path);
    const stored = this.#stamped(object);
    this.#objects.set(path, stored);
    this.#record(path, { type: exists ? 'MODIFIED' : 'ADDED', object: stored });
    return stored;
  }

  remove(path: string): void {
    const object = this.#objects.get(path);
    if (!object) return;
    this.#objects.delete(path);
    this.#record(path, { type: 'DELETED', object: this.#stamped(object) });
  }

  #stamped(object: KubeObject): KubeObject {
    const copy = deepCopy(object);
    copy.metadata.resourceVersion = String(++this.#revision);
    return copy;
  }

  #record(path: string, event: WatchEvent<KubeObject>): void {
    this.#history.push({ revision: this.#revision, collection: path, event });
    for (const watcher of [...this.#watchers]) if (isIn(path, watcher.collection)) watcher.send(event);
  }

  #answer(request: ApiRequest): ApiResponse {
    const query = new URLSearchParams(request.query);
    if (request.method === 'GET' && query.get('watch') === 'true') return this.#watch(request, query);
    if (request.method === 'GET' && isCollection(request.path)) return this.#list(request, query);
    return this.#object(request);
  }

  #object(request: ApiRequest): ApiResponse {
    const { method, path } = request;
    const entry = this.#objects.get(path.replace(/\/status$/, ''));
    const about = { group: '', resource: path.split('/').at(-2) ?? '' };
    if (method === 'POST') {
      const object = bodyOf(request) as KubeObject;
      const target = `${path}/${object.metadata.name}`;
      if (this.#objects.has(target)) throw alreadyExists(about, object.metadata.name ?? '');
      return answer(request, 201, this.put(target, object));
    }
    if (!entry) throw notFound(about, path.split('/').at(-1) ?? '');
    if (method === 'GET') return answer(request, 200, entry);
    if (method === 'PUT') {
      const object = bodyOf(request) as KubeObject;
      const { resourceVersion, name = '' } = object.metadata;
      if (resourceVersion && resourceVersion !== entry.metadata.resourceVersion)
        throw conflict(
          about,
          name,
          'the object has been modified; please apply your changes to the latest version and try again',
        );
      return answer(request, 200, this.put(path.replace(/\/status$/, ''), object));
    }
    if (method === 'PATCH')
      return answer(request, 200, this.put(path, mergePatch(entry, bodyOf(request)) as KubeObject));
    this.remove(path);
    return answer(request, 200, entry);
  }

  #list(request: ApiRequest, query: URLSearchParams): ApiResponse {
    const all = this.objects(request.path);
    const [rv = String(this.#revision), start = '0'] = query.get('continue')?.split(':') ?? [];
    if (query.has('continue') && Number(rv) < this.#compacted)
      throw expired('The provided continue parameter is too old');
    const from = Number(start);
    const limit = Number(query.get('limit') ?? 0);
    const to = limit > 0 ? from + limit : all.length;
    const metadata = { resourceVersion: rv, ...(to < all.length && { continue: `${rv}:${to}` }) };
    return answer(request, 200, { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(from, to) });
  }

  #watch(request: ApiRequest, query: URLSearchParams): ApiResponse {
    const from = Number(query.get('resourceVersion') ?? 0);
    const initial = query.get('sendInitialEvents') === 'true';
    if (initial && !this.supportsWatchList)
      return answer(request, 422, {
        kind: 'Status',
        status: 'Failure',
        reason: 'Invalid',
        code: 422,
        message: 'sendInitialEvents is forbidden',
      });
    if (!initial && from > 0 && from < this.#compacted)
      throw expired(`too old resource version: ${from} (${this.#compacted})`);
    // Requested when the stream is opened, so that no event until then is lost.
    const first = () => {
      if (initial || from === 0) return this.#initialEvents(request.path, initial);
      return from < this.#compacted ? [tooOld(from)] : this.#since(request.path, from);
    };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: this.#stream(request, first) };
  }

  #initialEvents(collection: string, withBookmark: boolean): WatchEvent<KubeObject>[] {
    const events = this.objects(collection).map((object): WatchEvent<KubeObject> => ({ type: 'ADDED', object }));
    return withBookmark ? [...events, this.#bookmark(true)] : events;
  }

  #since(collection: string, revision: number): WatchEvent<KubeObject>[] {
    return this.#history
      .filter((change) => change.revision > revision && isIn(change.collection, collection))
      .map(({ event }) => event);
  }

  #bookmark(endsInitial: boolean): WatchEvent<KubeObject> {
    const resourceVersion = String(this.#revision);
    const annotations = endsInitial ? { annotations: { [initialEventsEnd]: 'true' } } : {};
    return {
      type: 'BOOKMARK',
      object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion, ...annotations } },
    };
  }

  #stream(request: ApiRequest, first: () => readonly WatchEvent<KubeObject>[]): ResponseBody {
    const run = (sink: {
      write(event: WatchEvent<KubeObject>): void;
      end(): void;
      onClose(listener: () => void): void;
    }) => {
      const watcher: Watcher = {
        collection: request.path,
        send: (event) => sink.write(event),
        end: () => {
          this.#watchers.delete(watcher);
          sink.end();
        },
      };
      for (const event of first()) sink.write(event);
      this.#watchers.add(watcher);
      sink.onClose(() => this.#watchers.delete(watcher));
    };
    if (request.headers[acceptsValues]) return { kind: 'values', values: { open: run } };
    const encode = (event: WatchEvent<KubeObject>) => new TextEncoder().encode(`${JSON.stringify(event)}\n`);
    return {
      kind: 'stream',
      stream: {
        open: (sink) =>
          run({
            write: (event) => void sink.write(encode(event)),
            end: () => sink.end(),
            onClose: (l) => sink.onClose(l),
          }),
      },
    };
  }
}

function tooOld(revision: number): WatchEvent<KubeObject> {
  return { type: 'ERROR', object: expired(`too old resource version: ${revision}`).status };
}

function answer(request: ApiRequest, status: number, value: unknown): ApiResponse {
  const body: ResponseBody = request.headers[acceptsValues]
    ? { kind: 'value', value }
    : { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify(value))] };
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function bodyOf({ body }: ApiRequest): unknown {
  if (!body) return undefined;
  return body.kind === 'value' ? body.value : JSON.parse(new TextDecoder().decode(body.bytes));
}

/** A path ends in a collection when its parts after the version come in pairs, and one. */
function isCollection(path: string): boolean {
  const [, root, ...rest] = path.split('/');
  return (rest.length - (root === 'api' ? 1 : 2)) % 2 === 1;
}

/** Whether an object is in a collection: in its own namespace, or in any if the collection names none. */
function isIn(path: string, collection: string): boolean {
  if (path.startsWith(`${collection}/`)) return true;
  const resource = collection.split('/').at(-1);
  const prefix = collection.slice(0, -(resource?.length ?? 0));
  return path.startsWith(`${prefix}namespaces/`) && path.split('/').at(-2) === resource;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}
