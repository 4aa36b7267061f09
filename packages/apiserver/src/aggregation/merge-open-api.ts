import {
  type ApiResponse,
  acceptsValues,
  encodeOpenApiV2,
  openApiV2ProtoMediaTypes,
  readJson,
  writeJson,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { namesTag, notModified } from '../endpoints/entity-tag.js';
import type { Handler, RequestContext } from '../handler-chain.js';
import { hexDigest } from '../hex-digest.js';
import type { Outbound } from '../outbound/outbound.js';
import type { RemoteVersion } from './api-service-table.js';
import { proxyRequest, userHeaders } from './proxy-request.js';

const bounds = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };
const reader = { name: 'system:aggregator', groups: ['system:masters'] };

type Document = Readonly<Record<string, unknown>>;

/** The OpenAPI documents of this server, merged with those of others. */
export function mergeOpenApi(outbound: Outbound, remotes: () => readonly RemoteVersion[], next: Handler): Handler {
  return async (context) => {
    const available = remotes().filter(({ isAvailable }) => isAvailable);
    if (available.length === 0) return await next(context);
    const { path } = context.request;
    if (path === '/openapi/v2')
      return await send(context, await mergedV2(outbound, available, () => own(next, context)));
    if (path === '/openapi/v3')
      return await send(context, await mergedV3(outbound, available, () => own(next, context)));
    const remote = available.find(({ group, version }) => path === `/openapi/v3/apis/${group}/${version}`);
    return remote ? await proxyRequest(outbound, remote, context) : await next(context);
  };
}

/** The document of this server as a value. */
async function own(next: Handler, context: RequestContext): Promise<Document> {
  const headers = { ...context.request.headers, [acceptsValues]: '1' };
  const { info, user, auditId, signal, warnings, receivedAt, query } = context;
  const { body } = await next({
    ...{ info, user, auditId, signal, warnings, receivedAt, query },
    request: { ...context.request, headers },
    cancel: (reason) => context.cancel(reason),
    release: () => context.release(),
  });
  return body.kind === 'value' ? (body.value as Document) : {};
}

async function read(outbound: Outbound, { destination }: RemoteVersion, path: string): Promise<Document | undefined> {
  const headers = { accept: 'application/json', ...userHeaders(reader) };
  try {
    const { status, bytes } = await outbound.ask(destination, { method: 'GET', path, query: '', headers }, bounds);
    const value: unknown = status === 200 ? readJson(new TextDecoder().decode(bytes)) : undefined;
    return isRecord(value) ? value : undefined;
  } catch {
    // A server without OpenAPI documents is still served.
    return undefined;
  }
}

async function mergedV3(
  outbound: Outbound,
  remotes: readonly RemoteVersion[],
  local: () => Promise<Document>,
): Promise<Document> {
  const { paths = {}, ...rest } = await local();
  const added: Record<string, unknown> = {};
  for (const remote of remotes) {
    const name = `apis/${remote.group}/${remote.version}`;
    const { paths: theirs } = (await read(outbound, remote, '/openapi/v3')) ?? {};
    const entry = isRecord(theirs) ? theirs[name] : undefined;
    if (isRecord(entry)) added[name] = entry;
  }
  return { ...rest, paths: { ...(paths as object), ...added } };
}

/** Takes only the paths of its own group version from a server, and the definitions that they refer to. */
async function mergedV2(
  outbound: Outbound,
  remotes: readonly RemoteVersion[],
  local: () => Promise<Document>,
): Promise<Document> {
  const { paths = {}, definitions = {}, ...rest } = await local();
  const merged = { paths: { ...(paths as object) }, definitions: { ...(definitions as object) } };
  for (const remote of remotes) {
    const theirs = (await read(outbound, remote, '/openapi/v2')) ?? {};
    const prefix = `/apis/${remote.group}/${remote.version}`;
    const ofPaths = isRecord(theirs['paths']) ? Object.entries(theirs['paths']) : [];
    const chosen = ofPaths.filter(
      ([path]) => path === `${prefix}/` || path === prefix || path.startsWith(`${prefix}/`),
    );
    Object.assign(merged.paths, Object.fromEntries(chosen));
    const definitions = isRecord(theirs['definitions']) ? theirs['definitions'] : {};
    const used = referencedIn(chosen, definitions);
    merged.definitions = {
      ...Object.fromEntries(used.map((name) => [name, definitions[name]])),
      ...merged.definitions,
    };
  }
  return { ...rest, ...merged };
}

const reference = /"#\/definitions\/([^"]+)"/g;

function referencedIn(value: unknown, definitions: Document): string[] {
  const found = new Set<string>();
  const look = (some: unknown): void => {
    for (const [, name = ''] of writeJson(some ?? null).matchAll(reference)) {
      if (found.has(name) || !Object.hasOwn(definitions, name)) continue;
      found.add(name);
      look(definitions[name]);
    }
  };
  look(value);
  return [...found];
}

async function send({ request }: RequestContext, value: Document): Promise<ApiResponse> {
  if (request.headers[acceptsValues] !== undefined) return { status: 200, headers: {}, body: { kind: 'value', value } };
  const wantsProto = openApiV2ProtoMediaTypes.some((type) => request.headers['accept']?.includes(type));
  const bytes = wantsProto ? encodeOpenApiV2(value) : new TextEncoder().encode(writeJson(value));
  const headers = {
    'content-type': wantsProto ? openApiV2ProtoMediaTypes[1] : 'application/json',
    'cache-control': 'no-cache, private',
    etag: `"${await hexDigest(bytes)}"`,
    vary: 'Accept',
  };
  if (namesTag(request.headers['if-none-match'], headers.etag)) return notModified(headers);
  return { status: 200, headers, body: { kind: 'bytes', chunks: [bytes] } };
}
