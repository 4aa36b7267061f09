import { groupOrder } from '@coracle/api';
import { type ApiResponse, pageNotFound } from '@coracle/apimachinery';
import type { Discovery } from '../discovery/discovery.js';
import type { Handler, RequestContext } from '../handler-chain.js';
import { noSuchMethod } from '../handlers/resource-handler.js';
import type { HealthEndpoint } from '../health/health-checks.js';
import { negotiate, plainObjects } from '../negotiation/negotiate.js';
import { respondWithValue, takesValues } from '../negotiation/respond.js';
import { versionInfo } from './version.js';

export interface EndpointOptions {
  readonly discovery: Discovery;
  /** By their paths: `/healthz`, `/livez`, `/readyz`. */
  readonly health: Readonly<Record<string, HealthEndpoint>>;
  /** The metrics in Prometheus' text form; absent if none are collected. */
  readonly metricsText?: (() => string) | undefined;
  /** The results of the health checks, in the same format. */
  readonly healthText?: (() => string) | undefined;
  /** Resets the counters. */
  readonly resetMetrics?: (() => void) | undefined;
  /**
   * Further paths: OpenAPI, the documents of the token issuer. A path that ends in a slash includes all paths below it.
   */
  readonly more: Readonly<Record<string, Handler>>;
  /** Pages about the server, created with all of its paths. */
  readonly aboutItself?: (paths: () => Promise<readonly string[]>) => Readonly<Record<string, Handler>>;
}

/** Paths with handlers that are not part of upstream. */
const postPaths: ReadonlySet<string> = new Set(['/debug/coracle/clock', '/debug/coracle/nodes']);

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves all non-resource paths, and answers 404 for those that do not exist. */
export function serveEndpoints(endpointOptions: EndpointOptions): Handler {
  const more = { ...endpointOptions.more, ...endpointOptions.aboutItself?.(() => allPaths(options)) };
  const options: EndpointOptions = { ...endpointOptions, more };
  const { discovery, health } = options;
  const index: Handler = async (context) => sendJson(context, { paths: await allPaths(options) });
  const fixed: Record<string, Handler> = {
    '/': index,
    '/index.html': index,
    '/api': discovery.coreVersions,
    '/apis': discovery.groupList,
    '/version': async (context) => sendJson(context, versionInfo),
    ...more,
  };
  if (options.metricsText) fixed['/metrics'] = async () => sendText(options.metricsText?.() ?? '', prometheusText);
  if (options.healthText) fixed['/metrics/slis'] = async () => sendText(options.healthText?.() ?? '', prometheusText);
  const below = Object.entries(fixed).filter(([path]) => path.endsWith('/') && path !== '/');
  return async (context) => {
    const { method } = context.request;
    const { path } = context.info;
    if (path === '/metrics' && method === 'DELETE' && options.resetMetrics) {
      options.resetMetrics();
      return sendText('metrics reset\n', 'text/plain');
    }
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const handler = fixed[path] ?? fixed[bare] ?? below.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (handler) {
      if (method !== 'GET' && method !== 'HEAD' && !(method === 'POST' && postPaths.has(path))) throw noSuchMethod();
      return await handler(context);
    }
    for (const [prefix, endpoint] of Object.entries(health)) {
      if (bare === prefix || bare.startsWith(`${prefix}/`))
        return await endpoint.serve(context, bare.slice(prefix.length + 1));
    }
    return await serveDiscovery(discovery, context, bare);
  };
}

async function serveDiscovery(discovery: Discovery, context: RequestContext, path: string): Promise<ApiResponse> {
  const [root, first = '', second, ...rest] = path.split('/').slice(1);
  if (root === 'api') {
    if (second !== undefined) throw pageNotFound();
    return onlyToRead(context, await discovery.version(context, '', first));
  }
  const group = root === 'apis' && (await discovery.groups()).find(({ name }) => name === first);
  if (!group) return nothingHere(context);
  const isServed = rest.length === 0 && (!second || group.versions.some(({ version }) => version === second));
  if (!isServed && !groupOrder.includes(first)) return nothingHere(context);
  if (!isServed) throw pageNotFound();
  const document = second === undefined ? discovery.group(context, first) : discovery.version(context, first, second);
  return onlyToRead(context, await document);
}

function onlyToRead({ request }: RequestContext, response: ApiResponse): ApiResponse {
  if (request.method !== 'GET') throw noSuchMethod();
  return response;
}

/** A path below an unknown group is answered in plain text, because no serializer can be negotiated for it. */
function nothingHere(context: RequestContext): ApiResponse {
  if (takesValues(context)) throw pageNotFound();
  const { headers, body } = sendText('404 page not found\n', 'text/plain; charset=utf-8');
  return { status: 404, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body };
}

/** Profiling paths are not listed. */
function isListed(path: string): boolean {
  return !path.endsWith('/') && !path.startsWith('/debug/');
}

async function allPaths({ discovery, health, metricsText, healthText, more }: EndpointOptions): Promise<string[]> {
  const paths = ['/api', '/apis', '/version', ...Object.keys(more).filter(isListed)];
  if (metricsText) paths.push('/metrics');
  if (healthText) paths.push('/metrics/slis');
  for (const { name, versions } of await discovery.groups()) {
    if (name !== '') paths.push(`/apis/${name}`);
    for (const { version } of versions) paths.push(name === '' ? `/api/${version}` : `/apis/${name}/${version}`);
  }
  for (const [prefix, endpoint] of Object.entries(health)) {
    paths.push(prefix, ...endpoint.checkNames.map((name) => `${prefix}/${name}`));
  }
  return paths.sort();
}

function sendJson(context: RequestContext, value: unknown): ApiResponse {
  const form = negotiate(context, { ...plainObjects, protobuf: false });
  return respondWithValue(context, { ...form, pretty: true }, value);
}

function sendText(content: string, type: string): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache, private' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
