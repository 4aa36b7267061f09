import { type ApiRequest, type Exchange, pageNotFound } from '@coracle/apimachinery';
import type { Clock, Logger, Metrics, Random, Tracer } from '@coracle/base';
import type { Store } from '@coracle/store';
import type { AdmissionPlugin } from './admission/admission.js';
import { AdmissionChain } from './admission/admission-chain.js';
import type { Authenticator } from './authentication/authenticator.js';
import type { Authorizer } from './authorization/authorizer.js';
import { answerErrors } from './filters/answer-errors.js';
import { auditIds } from './filters/audit.js';
import { authenticate } from './filters/authenticate.js';
import { authorize } from './filters/authorize.js';
import { impersonate } from './filters/impersonate.js';
import { warnings } from './filters/warnings.js';
import { chain, type Handler, type RequestContext } from './handler-chain.js';
import type { HandlerDependencies } from './handlers/operation.js';
import { serveResources } from './handlers/resource-handler.js';
import { TimeBudget } from './handlers/time-budget.js';
import { createObjectReader, createObjectWriter } from './object-access.js';
import { parseRequestInfo } from './parse-request-info.js';
import type { ObjectReader, ObjectWriter } from './registry/object-reader.js';
import { Registry } from './registry/registry.js';
import { builtInResources, type ResourceTable } from './registry/resource-table.js';
import type { RuntimeConfig } from './registry/runtime-config.js';
import { storageRoot } from './registry/storage-prefix.js';
import type { ServerParts, SubresourceTable } from './registry/subresource.js';
import { builtInSubresources } from './registry/subresources.js';
import { ChangeFeed } from './storage/change-feed.js';
import { Leases } from './storage/leases.js';
import { anonymous } from './user-info.js';

/** Makes the parts of the server that need to read objects, once it can read them. */
export type FromObjects<T> = (objects: ObjectReader) => T;

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly authenticators: FromObjects<readonly Authenticator[]>;
  readonly authorizer: FromObjects<Authorizer>;
  /** In the order in which they are asked. */
  readonly admission: FromObjects<readonly AdmissionPlugin[]>;
  readonly runtimeConfig?: RuntimeConfig;
  /** What subresources do that need more than the server itself, such as keys or a way to the nodes. */
  readonly subresources?: (parts: ServerParts) => SubresourceTable;
}

export interface ApiServer extends AsyncDisposable {
  readonly exchange: Exchange;
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly resources: ResourceTable;
}

/** Starts an API server on a store. It answers from the moment that the promise resolves. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, random, logger, metrics, tracer } = options;
  const feed = new ChangeFeed(storageRoot, { store, clock, logger });
  const leases = new Leases(store, clock);
  const resources = builtInResources(options.runtimeConfig ?? {}, { store, feed, leases, clock });
  const objects = createObjectReader(() => resources);
  const admission = new AdmissionChain(options.admission(objects));
  const registry = new Registry({ clock, random, tracer, objects, admission });
  const writer = createObjectWriter(resources, registry.withAdmission(new AdmissionChain([])));
  const parts: ServerParts = { objects, writer, registry, resources, clock, random };
  const deps: HandlerDependencies = {
    parts,
    subresources: { ...builtInSubresources, ...options.subresources?.(parts) },
    registry,
    resources,
    clock,
    random,
    logger,
    metrics,
    budget: new TimeBudget(clock),
    watches: new Set(),
  };
  const handler = buildHandler(options, objects, deps);
  await feed.start();
  await Promise.all(resources.allStored().map(({ storage }) => storage.cache.load()));
  return {
    exchange: (request) => handler(contextOf(request, clock)),
    objects,
    writer,
    resources,
    [Symbol.asyncDispose]: async () => {
      for (const watch of [...deps.watches]) watch.end();
      feed[Symbol.dispose]();
    },
  };
}

function buildHandler(options: ApiServerOptions, objects: ObjectReader, deps: HandlerDependencies): Handler {
  const authorizer = options.authorizer(objects);
  const notFound: Handler = () => Promise.reject(pageNotFound());
  return chain(
    [
      answerErrors(options.logger),
      readRequestInfo,
      warnings,
      authenticate(options.authenticators(objects)),
      auditIds(options.random),
      impersonate(authorizer),
      authorize(authorizer),
    ],
    serveResources(deps, notFound),
  );
}

const readRequestInfo =
  (next: Handler): Handler =>
  (context) => {
    const { request, query } = context;
    context.info = parseRequestInfo(request.method, request.path, query);
    return next(context);
  };

const nothingKnown = parseRequestInfo('GET', '/', new URLSearchParams());
const never = new AbortController().signal;

function contextOf(request: ApiRequest, clock: Clock): RequestContext {
  return {
    request,
    receivedAt: clock.now(),
    query: new URLSearchParams(request.query),
    info: nothingKnown,
    user: anonymous,
    auditId: '',
    signal: request.signal ?? never,
    warnings: [],
  };
}
