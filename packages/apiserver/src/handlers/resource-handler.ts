import {
  type ApiResponse,
  badRequest,
  failure,
  methodNotAllowed,
  notFound,
  pageNotFound,
  type StatusError,
} from '@coracle/apimachinery';
import { customScale } from '../custom-resources/custom-scale.js';
import type { Handler, RequestContext } from '../handler-chain.js';
import { type Abilities, negotiate } from '../negotiation/negotiate.js';
import type { OutputForm } from '../negotiation/output-form.js';
import type { IncludedObject } from '../negotiation/table.js';
import { isTrue } from '../parse-request-info.js';
import type { SubresourceHandler } from '../registry/subresource.js';
import { statusEndpoint } from '../registry/update-object.js';
import type { RequestInfo } from '../request-info.js';
import type { ServedResource } from '../served-resource.js';
import { create } from './create.js';
import { deleteCollection, deleteOne } from './delete.js';
import { deprecationOf } from './deprecations.js';
import { getObject } from './get.js';
import { listObjects } from './list.js';
import { addWarning, type HandlerDependencies, type ResourceOperation } from './operation.js';
import { patch } from './patch.js';
import { readOverChannel } from './read-over-channel.js';
import { serveSubresource } from './subresource.js';
import { update } from './update.js';
import { watchObjects } from './watch.js';

type VerbHandler = (operation: ResourceOperation) => Promise<ApiResponse>;

const oneObject: Abilities = { table: true, partial: 'PartialObjectMetadata', protobuf: true };
const manyObjects: Abilities = { table: true, partial: 'PartialObjectMetadataList', protobuf: true };

/**
 * Reviews, bindings, evictions and tokens are never stored and have no columns. A list that is streamed by a watch is
 * not sent as tables either.
 */
const withoutTables: Abilities = { ...oneObject, table: false };

const anything: Abilities = { table: true, partial: 'PartialObjectMetadata', protobuf: true };

/** Verb → its handler, and the media types of its responses. */
const verbs: Readonly<Record<string, { readonly handle: VerbHandler; readonly abilities: Abilities }>> = {
  get: { handle: getObject, abilities: oneObject },
  list: { handle: listObjects, abilities: manyObjects },
  watch: { handle: watchObjects, abilities: oneObject },
  create: { handle: create, abilities: oneObject },
  update: { handle: update, abilities: oneObject },
  patch: { handle: patch, abilities: oneObject },
  delete: { handle: deleteOne, abilities: oneObject },
  deletecollection: { handle: deleteCollection, abilities: manyObjects },
};

/** Serves the resources of the table; everything else goes to `next`. */
export function serveResources(deps: HandlerDependencies, next: Handler): Handler {
  const handlers = new SubresourceHandlers(deps);
  return (context) => {
    const { info } = context;
    if (!info.isResourceRequest) return next(context);
    const resource = deps.resources.find(info.group, info.version, info.resource);
    if (!resource) return next(context);
    return serve(deps, context, { resource, handlers });
  };
}

async function serve(
  deps: HandlerDependencies,
  context: RequestContext,
  { resource, handlers }: { readonly resource: ServedResource; readonly handlers: SubresourceHandlers },
): Promise<ApiResponse> {
  const { info } = context;
  const supported = verbsOf(resource, info.subresource);
  if (resource.deprecation) addWarning(context, resource.deprecation);
  // The server of custom resources resolves the resource.
  if (!supported && resource.jsonSchema) throw notFound(resource.info, info.name);
  if (!supported || !isInItsPlace(resource, info)) throw pageNotFound();
  const verb = isProxiedOptions(context) ? 'get' : info.verb;
  const entry = verbs[verb];
  if (!entry || !supported.includes(verb) || !isRoute(resource, info) || isOtherMethod(context)) {
    throw refusal(context, resource, supported);
  }
  const deprecation = resource.deprecation ?? deprecationOf(resource.apiVersion, resource.info.kind);
  if (deprecation) {
    addWarning(context, deprecation);
    const { group, version, resource: name } = resource.info;
    // Empty, because the removal of these APIs is not scheduled.
    deps.deprecatedApis.set(1, { group, version, resource: name, subresource: info.subresource, removed_release: '' });
  }
  const handler = handlers.find(resource, info.subresource);
  const isPlain = handler?.create !== undefined || streamsList(context);
  const abilities = handler?.handle ? anything : isPlain ? withoutTables : entry.abilities;
  const form = negotiate(context, resource.jsonSchema ? { ...abilities, protobuf: 'partial' } : abilities);
  const operation: ResourceOperation = {
    deps,
    context,
    resource,
    form,
    include: includedObject(context, form),
    now: () => deps.clock.now(),
  };
  const response = await (handler ? serveSubresource(operation, handler) : entry.handle(operation));
  const kind = info.subresource === 'log' ? 'log' : verb;
  const { upgrade } = context;
  return upgrade && (kind === 'log' || kind === 'watch') ? readOverChannel(upgrade, response, kind) : response;
}

/** Whether a watch begins with all objects, followed by a bookmark. */
function streamsList({ info, request, query }: RequestContext): boolean {
  if (info.verb !== 'watch' || request.query === '') return false;
  return isTrue(query.get('sendInitialEvents')) && isTrue(query.get('allowWatchBookmarks'));
}

/** The message for requests whose resource is unknown. */
export function noSuchMethod(): StatusError {
  return failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/**
 * Objects are served in their namespace only, and below subresources only proxied paths. A Namespace belongs to itself,
 * not to another one, because permissions in that namespace apply.
 */
function isInItsPlace({ info }: ServedResource, { parts, namespace, subresource }: RequestInfo): boolean {
  if (parts.length > 3 && subresource !== 'proxy') return false;
  if (info.namespaced) return namespace !== '' || parts[1] === undefined;
  return namespace === '' || (info.resource === 'namespaces' && parts[1] === namespace);
}

/** Watch paths are requested by GET only, and so are resources that are read only, unless the request is proxied. */
function isOtherMethod({ request, info }: RequestContext): boolean {
  if (request.method === 'HEAD') return info.subresource !== 'proxy';
  return info.verb === 'watch' && request.method !== 'GET';
}

/** OPTIONS has no verb. It is proxied, and rejected everywhere else. */
function isProxiedOptions({ request, info }: RequestContext): boolean {
  return request.method === 'OPTIONS' && info.subresource === 'proxy';
}

const itemVerbs: readonly string[] = ['get', 'update', 'patch', 'delete'];
const listVerbs: readonly string[] = ['list', 'create', 'deletecollection'];

/** 404 for a path without any verb; 405 for a path that has other verbs. */
function refusal(context: RequestContext, resource: ServedResource, supported: readonly string[]): StatusError {
  const { info, request } = context;
  if (resource.jsonSchema) return methodNotAllowed(resource.info, info.verb);
  if (isOldPath(context)) {
    const isServed = info.verb === 'watch' && info.subresource === '' && supported.includes('watch');
    return isServed ? noSuchMethod() : pageNotFound();
  }
  if (info.verb === 'watch' && request.method === 'GET' && supported.includes('list'))
    return methodNotAllowed(resource.info, 'watch');
  const others = info.parts[1] === undefined ? listVerbs : itemVerbs;
  // The router does not resolve resources.
  return info.subresource !== '' || supported.some((verb) => others.includes(verb)) ? noSuchMethod() : pageNotFound();
}

/** Paths that contain the verb: `/api/v1/watch/…`, `/api/v1/proxy/…`. */
function isOldPath({ info, query }: RequestContext): boolean {
  return info.verb === 'proxy' || (info.verb === 'watch' && !isTrue(query.get('watch')));
}

/** Whether the verb is served at the path: with a name or without, in a namespace or across all of them. */
function isRoute({ info }: ServedResource, { verb, parts, namespace, subresource }: RequestInfo): boolean {
  const hasName = parts[1] !== undefined;
  if (info.namespaced && namespace === '' && verb !== 'list' && verb !== 'watch') return false;
  if (collectionVerbs.has(verb)) return true;
  return verb === 'create' && subresource === '' ? !hasName : hasName;
}

const inclusions: readonly string[] = ['None', 'Metadata', 'Object'];

function includedObject({ query }: RequestContext, form: OutputForm): IncludedObject {
  if (form.as !== 'table') return 'Metadata';
  const include = query.get('includeObject') ?? '';
  if (include === '') return 'Metadata';
  if (!inclusions.includes(include)) {
    const why = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw badRequest(`Unable to convert to Table as requested: ${why}`);
  }
  return include as IncludedObject;
}

const status: SubresourceHandler = { endpoint: statusEndpoint };

class SubresourceHandlers {
  readonly #deps: HandlerDependencies;
  /** Verbs of resources themselves, without a subresource: looked up for every request. */
  readonly #own = new WeakMap<ServedResource, { readonly handler: SubresourceHandler | undefined }>();

  constructor(deps: HandlerDependencies) {
    this.#deps = deps;
  }

  find(resource: ServedResource, subresource: string): SubresourceHandler | undefined {
    if (subresource === '') return this.#ofResource(resource);
    const { info, scalePaths } = resource;
    const subresourceHandler = this.#deps.subresources[`${info.group}/${info.resource}/${subresource}`];
    if (subresourceHandler) return subresourceHandler;
    if (subresource === 'status') return status;
    if (subresource === 'scale' && scalePaths) return customScale(scalePaths);
    throw pageNotFound();
  }

  #ofResource(resource: ServedResource): SubresourceHandler | undefined {
    let own = this.#own.get(resource);
    if (!own) {
      const { group, resource: name } = resource.info;
      own = { handler: this.#deps.subresources[`${group}/${name}`] };
      this.#own.set(resource, own);
    }
    return own.handler;
  }
}

function verbsOf({ info }: ServedResource, subresource: string): readonly string[] | undefined {
  if (subresource === '') return info.verbs;
  return info.subresources.find(({ name }) => name === subresource)?.verbs;
}
