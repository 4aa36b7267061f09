import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type KubeObject,
  readJson,
  type WatchEvent,
  writeJson,
} from '@coracle/apimachinery';
import { noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { createApiServer } from './api-server.js';
import type { ApiServer, ApiServerOptions } from './api-server-options.js';
import type { Authorizer } from './authorization/authorizer.js';

/** An API server on a memory store, for tests: every user is an administrator, and there are no admission plugins. */
export interface TestServer {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly store: Store;
  /** The response to a request with a JSON body, as an HTTP client receives it. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  /** Events in order of arrival; `stop` ends the watch. */
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<TestWatch>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly body: any;
}

export interface TestWatch {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every kind
  readonly events: WatchEvent<any>[];
  readonly ended: boolean;
  stop(): void;
}

/** The names of the objects of a list. */
export function namesIn({ items }: { readonly items: readonly KubeObject[] }): (string | undefined)[] {
  return items.map(({ metadata }) => metadata.name);
}

const allowAll: Authorizer = { name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) };
const peer = { user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } };

export async function startTestServer(options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = await createMemoryStore({ clock });
  const server = await createApiServer({
    store,
    clock,
    random,
    logger: silentLogger,
    metrics: noMetrics,
    tracer: noTracer,
    authenticators: () => [{ name: 'test', authenticate: () => ({ user: peer.user }) }],
    authorizer: () => allowAll,
    admission: () => [],
    freezesObjects: true,
    ...options,
  });
  const send = (method: string, path: string, rest: Partial<ApiRequest>) => {
    const [pathname = '', query = ''] = path.split('?');
    return server.exchange({ method, path: pathname, query, headers: {}, peer, ...rest });
  };
  return {
    server,
    clock,
    store,
    call: async (method, path, body, headers = {}) => {
      const bytes = body === undefined ? undefined : encode(body);
      const type = bytes && { 'content-type': 'application/json' };
      const response = await send(method, path, {
        headers: { accept: 'application/json', ...type, ...headers },
        ...(bytes && { body: { kind: 'bytes', bytes } }),
      });
      return { status: response.status, headers: response.headers, body: decode(response) };
    },
    watch: async (path, headers) =>
      openWatch(await send('GET', path, { headers: { ...headers, [acceptsValues]: '1' } })),
  };
}

function encode(body: unknown): Uint8Array {
  return new TextEncoder().encode(typeof body === 'string' ? body : writeJson(body));
}

function decode({ body }: ApiResponse): unknown {
  if (body.kind === 'value') return body.value;
  if (body.kind !== 'bytes') return undefined;
  const decoder = new TextDecoder();
  const text = body.chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('');
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

function openWatch(response: ApiResponse): TestWatch {
  if (response.body.kind !== 'values') throw new Error(`no watch but ${JSON.stringify(response.body)}`);
  const events: WatchEvent<unknown>[] = [];
  const onClose: (() => void)[] = [];
  let ended = false;
  response.body.values.open({
    write: (event) => void events.push(event as WatchEvent<unknown>),
    end: () => {
      ended = true;
    },
    onClose: (listener) => void onClose.push(listener),
  });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every kind
    events: events as WatchEvent<any>[],
    get ended() {
      return ended;
    },
    stop: () => {
      for (const listener of onClose) listener();
    },
  };
}
