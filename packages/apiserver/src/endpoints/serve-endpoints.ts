import { type ApiResponse, methodNotAllowed, pageNotFound } from '@coracle/apimachinery';
import type { Discovery } from '../discovery/discovery.js';
import type { Handler, RequestContext } from '../handler-chain.js';
import type { HealthEndpoint } from '../health/health-checks.js';
import { negotiate, plainObjects } from '../negotiation/negotiate.js';
import { respondWithValue } from '../negotiation/respond.js';
import { versionInfo } from './version.js';

export interface EndpointOptions {
  readonly discovery: Discovery;
  /** By their paths: `/healthz`, `/livez`, `/readyz`. */
  readonly health: Readonly<Record<string, HealthEndpoint>>;
  /** The metrics in Prometheus' text form; absent if none are kept. */
  readonly metricsText?: (() => string) | undefined;
  /** More paths: OpenAPI, the documents of the token issuer. A path that ends in a slash stands for all below it. */
  readonly more: Readonly<Record<string, Handler>>;
}

/** Serves everything that is not a resource. */
export function serveEndpoints(options: EndpointOptions): Handler {
  const { discovery, health } = options;
  const fixed: Record<string, Handler> = {
    '/': async (context) => sendJson(context, { paths: await allPaths(options) }),
    '/api': discovery.coreVersions,
    '/apis': discovery.groupList,
    '/version': async (context) => sendJson(context, versionInfo),
    ...options.more,
  };
  if (options.metricsText) fixed['/metrics'] = async () => sendText(options.metricsText?.() ?? '');
  const below = Object.entries(fixed).filter(([path]) => path.endsWith('/') && path !== '/');
  return async (context) => {
    const { path, method } = context.request;
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const handler = fixed[bare] ?? below.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (handler) {
      if (method !== 'GET' && method !== 'HEAD')
        throw methodNotAllowed({ group: '', resource: bare }, method.toLowerCase());
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
  if (context.request.method !== 'GET' || rest.length > 0) throw pageNotFound();
  if (root === 'api' && second === undefined) return await discovery.version(context, '', first);
  if (root !== 'apis') throw pageNotFound();
  if (second === undefined) return await discovery.group(context, first);
  return await discovery.version(context, first, second);
}

async function allPaths({ discovery, health, metricsText, more }: EndpointOptions): Promise<string[]> {
  const paths = ['/api', '/apis', '/version', ...Object.keys(more).filter((path) => !path.endsWith('/'))];
  if (metricsText) paths.push('/metrics');
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

function sendText(content: string): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-cache, private' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
