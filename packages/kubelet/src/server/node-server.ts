import type { Pod } from '@coracle/api';
import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type Channel,
  type Exchange,
  writeJson,
} from '@coracle/apimachinery';
import { type Clock, messageOf } from '@coracle/base';
import { isCriError, type RuntimeService } from '@coracle/cri';
import { containerLog } from '../logs/container-log.js';
import { parseLogOptions } from '../logs/log-options.js';
import type { LogSource } from '../logs/log-source.js';
import { textResponse } from '../streaming/refusal.js';
import type { NodeAccess } from './node-access.js';
import { type NodeLogs, serveNodeLogs } from './node-logs.js';
import { openStream } from './open-stream.js';
import { runCommand } from './run-command.js';
import { runningPods } from './running-pods.js';
import type { RuntimeStreams } from './runtime-streams.js';

/** Data and functions of the kubelet for its server. */
export interface NodeServerOptions {
  readonly runtime: RuntimeService;
  /** Connects to the streaming server of the runtime. */
  readonly streams: RuntimeStreams;
  readonly logs: LogSource;
  /** The log directory of the machine; none if absent. */
  readonly nodeLogs?: NodeLogs | undefined;
  readonly clock: Clock;
  /** All pods of the node, with their statuses in the kubelet. */
  readonly pods: () => readonly Pod[];
  /** Metrics and other pages as text, by path. */
  readonly pages: Readonly<Record<string, (query: URLSearchParams) => Promise<Page>>>;
  /** Without it every request is allowed: for servers that only this process can reach. */
  readonly access?: NodeAccess | undefined;
  /** Whether exec, port-forward and logs are enabled; true by default. */
  readonly enableDebuggingHandlers?: boolean;
  /** Throws if the kubelet is unhealthy. */
  readonly check: () => void;
}

/** A value is sent as JSON, or unchanged to callers in this process that accept values. */
export type Page = { readonly contentType: string; readonly text: string } | { readonly value: object };

/** The HTTP server of a kubelet, without its socket. */
export interface NodeServer {
  readonly exchange: Exchange;
  /** Opens exec, attach and portForward channels; returns the response if none is opened. */
  connect(request: ApiRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}

const notFound = () => textResponse(404, '404 page not found\n');

export function createNodeServer(options: NodeServerOptions): NodeServer {
  const guarded = async (request: ApiRequest, work: () => Promise<ApiResponse>) =>
    (await options.access?.(request)) ?? (await work());
  return {
    exchange: (request) => guarded(request, async () => disabledAnswer(options, request) ?? answer(options, request)),
    connect: async (request, protocols) =>
      (await options.access?.(request)) ??
      disabledAnswer(options, request) ??
      (await openStream(options, request, protocols)),
  };
}

/** Debugging handlers, by the first part of the path. */
const debugging: ReadonlySet<string> = new Set([
  'run',
  'exec',
  'attach',
  'portForward',
  'containerLogs',
  'runningpods',
  'logs',
]);

function disabledAnswer({ enableDebuggingHandlers }: NodeServerOptions, { path }: ApiRequest): ApiResponse | undefined {
  if (enableDebuggingHandlers !== false) return undefined;
  if (!debugging.has(path.split('/')[1] ?? '') && !path.startsWith('/debug/pprof')) return undefined;
  return textResponse(405, 'Debug endpoints are disabled.\n', { 'x-content-type-options': 'nosniff' });
}

type Handler = (options: NodeServerOptions, request: NodeRequest) => Promise<ApiResponse>;

interface NodeRequest {
  readonly request: ApiRequest;
  /** The parts of the path after the first. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** By the first part of the path. */
const handlers: Readonly<Record<string, { readonly methods: readonly string[]; readonly handle: Handler }>> = {
  healthz: { methods: ['GET', 'HEAD'], handle: async (options) => health(options) },
  pods: { methods: ['GET'], handle: async ({ pods }) => podList(pods()) },
  runningpods: { methods: ['GET'], handle: async ({ runtime }) => podList(await runningPods(runtime)) },
  containerLogs: { methods: ['GET'], handle: serveLog },
  logs: { methods: ['GET', 'HEAD'], handle: async ({ nodeLogs }, { rest }) => serveNodeLogs(nodeLogs, rest.join('/')) },
  run: { methods: ['POST'], handle: async ({ runtime }, { rest, query }) => runCommand(runtime, rest, query) },
  exec: { methods: ['GET', 'POST'], handle: async () => upgradeRequired() },
  attach: { methods: ['GET', 'POST'], handle: async () => upgradeRequired() },
  portForward: { methods: ['GET', 'POST'], handle: async () => upgradeRequired() },
  checkpoint: { methods: ['POST'], handle: async () => textResponse(404, 'checkpointing is not supported\n') },
};

async function answer(options: NodeServerOptions, request: ApiRequest): Promise<ApiResponse> {
  const parts = request.path.split('/').slice(1).map(decodeURIComponent);
  const [first = '', ...rest] = parts;
  const query = new URLSearchParams(request.query);
  const page = options.pages[request.path.replace(/\/$/, '')];
  try {
    if (page) return pageResponse(request, await page(query));
    const handler = Object.hasOwn(handlers, first) ? handlers[first] : undefined;
    if (!handler) return notFound();
    if (!handler.methods.includes(request.method)) return textResponse(405, '405: Method Not Allowed');
    return await handler.handle(options, { request, rest, query });
  } catch (error) {
    return textResponse(isCriError(error, 'NotFound') ? 404 : 500, messageOf(error));
  }
}

function pageResponse({ headers }: ApiRequest, page: Page): ApiResponse {
  if ('text' in page) return textResponse(200, page.text, { 'content-type': page.contentType });
  const { value } = page;
  if (headers[acceptsValues] !== undefined) return { status: 200, headers: {}, body: { kind: 'value', value } };
  return textResponse(200, writeJson(value, 1), { 'content-type': 'application/json' });
}

function health({ check }: NodeServerOptions): ApiResponse {
  try {
    check();
    return textResponse(200, 'ok');
  } catch (error) {
    return textResponse(500, `[-]syncloop failed: ${messageOf(error)}\nhealthz check failed\n`);
  }
}

function podList(pods: readonly Pod[]): ApiResponse {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods };
  return textResponse(200, `${writeJson(list)}\n`, { 'content-type': 'application/json' });
}

function upgradeRequired(): ApiResponse {
  return textResponse(400, 'unable to upgrade: missing upgrade headers in request\n');
}

/** `/containerLogs/NAMESPACE/POD/CONTAINER`. */
async function serveLog(options: NodeServerOptions, { request, rest, query }: NodeRequest): Promise<ApiResponse> {
  const [namespace = '', name = '', container = ''] = rest;
  if (namespace === '') return textResponse(400, '{"message": "Missing podNamespace."}');
  if (name === '') return textResponse(400, '{"message": "Missing podID."}');
  if (container === '') return textResponse(400, '{"message": "Missing container name."}');
  const pod = options.pods().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (!pod) return textResponse(404, `pod ${JSON.stringify(name)} does not exist\n`);
  const signal = request.signal ?? new AbortController().signal;
  return containerLog(options, { pod, container, options: parseLogOptions(query, options.clock.now()), signal });
}
