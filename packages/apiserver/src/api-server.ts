import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type Channel,
  type Exchange,
  failure,
  pageNotFound,
  type Status,
  StatusError,
} from '@coracle/apimachinery';
import {
  type Clock,
  deepFreeze,
  type Logger,
  type Metrics,
  type Millis,
  noMetrics,
  noTracer,
  PrometheusMetrics,
  type Random,
  sleep,
  type Tracer,
} from '@coracle/base';
import type { Store } from '@coracle/store';
import type { AdmissionPlugin } from './admission/admission.js';
import { AdmissionChain } from './admission/admission-chain.js';
import { AdmissionMeter } from './admission/admission-meter.js';
import type { Authenticator } from './authentication/authenticator.js';
import type { Authorizer } from './authorization/authorizer.js';
import type { AuthenticationInfo } from './bootstrap/authentication-info.js';
import { bootstrapCluster } from './bootstrap/bootstrap.js';
import type { ServerAddress } from './bootstrap/kubernetes-service.js';
import type { EndpointReconciler } from './bootstrap/presence.js';
import { CustomResourceServer } from './custom-resources/custom-resource-server.js';
import { Discovery } from './discovery/discovery.js';
import { type LogFiles, logEndpoints } from './endpoints/logs.js';
import { MetricsPage, type ProcessStats } from './endpoints/metrics.js';
import { openApiEndpoints } from './endpoints/openapi.js';
import { type Profiler, profilingEndpoints } from './endpoints/profiling.js';
import { serveEndpoints } from './endpoints/serve-endpoints.js';
import { type ZPagesOptions, zPages } from './endpoints/z-pages.js';
import { type FeatureGates, usualFeatures } from './features/feature-gates.js';
import { showFeatures } from './features/show-features.js';
import { answerErrors } from './filters/answer-errors.js';
import { auditIds } from './filters/audit-ids.js';
import { authenticate } from './filters/authenticate.js';
import { authorize } from './filters/authorize.js';
import { cors } from './filters/cors.js';
import { type CountedRequests, countRequests } from './filters/count-requests.js';
import { deadline } from './filters/deadline.js';
import { flowControl, type InFlightLimits } from './filters/flow-control.js';
import { impersonate } from './filters/impersonate.js';
import { requestInfo } from './filters/request-info.js';
import { Shutdown } from './filters/shutdown.js';
import { traceRequest } from './filters/trace-request.js';
import { warnings } from './filters/warnings.js';
import { FlowSchemaStatus } from './flow-control/flow-schema-status.js';
import { chain, type Handler, type Upgrade } from './handler-chain.js';
import { LongRunning } from './handlers/long-running.js';
import type { HandlerDependencies } from './handlers/operation.js';
import { serveResources } from './handlers/resource-handler.js';
import { SentEvents } from './handlers/sent-events.js';
import { TimeBudget } from './handlers/time-budget.js';
import { type HealthCheck, HealthEndpoint, HealthRecord } from './health/health-checks.js';
import { type OwnChecks, ownChecks } from './health/own-checks.js';
import { PostStartHooks } from './health/post-start-hooks.js';
import { IncomingRequest } from './incoming-request.js';
import { createObjectReader, createObjectWriter } from './object-access.js';
import { createServiceAddressing } from './registry/core/service-allocation/service-addressing.js';
import { firstServiceAddress, type ServiceRangeOptions } from './registry/core/service-allocation/service-ranges.js';
import type { ObjectReader, ObjectWriter } from './registry/object-reader.js';
import { Registry } from './registry/registry.js';
import { builtInResources, type ResourceTable } from './registry/resource-table.js';
import type { RuntimeConfig } from './registry/runtime-config.js';
import { storageRoot } from './registry/storage-prefix.js';
import type { ServerParts, SubresourceTable } from './registry/subresource.js';
import { builtInSubresources } from './registry/subresources.js';
import { ChangeFeed } from './storage/change-feed.js';
import { Leases } from './storage/leases.js';
import { measuredStore } from './storage/measured-store.js';
import { protobufStore } from './storage/protobuf-store.js';

/** Makes a part of the server that needs to read objects. */
export type FromObjects<T> = (objects: ObjectReader) => T;

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** With a `PrometheusMetrics`, `/metrics` is served. */
  readonly metrics: Metrics;
  /** What the process uses, for `/metrics`. */
  readonly processStats?: () => ProcessStats;
  readonly tracer: Tracer;
  /** With one, `/debug/pprof` is served. */
  readonly profiler?: Profiler;
  /** With it, `/logs` is served. */
  readonly logFiles?: LogFiles;
  /** What the program was started with, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly authenticators: (objects: ObjectReader, writer: ObjectWriter) => readonly Authenticator[];
  readonly authorizer: FromObjects<Authorizer>;
  /** In the order in which they are asked. What they write themselves passes no plugin. */
  readonly admission: (objects: ObjectReader, writer: ObjectWriter) => readonly AdmissionPlugin[];
  readonly runtimeConfig?: RuntimeConfig;
  /** As the release has it unless stated. */
  readonly features?: FeatureGates;
  /** What subresources do that need more than the server itself, such as keys or a way to the nodes. */
  readonly subresources?: (parts: ServerParts) => SubresourceTable;
  /** Paths that are no resources, beside those that every server has. A path that ends in a slash stands for all below it. */
  readonly endpoints?: (parts: ServerParts) => Readonly<Record<string, Handler>>;
  /** `host:port`, as discovery tells it to clients until the server is announced under another. */
  readonly serverAddress?: string;
  readonly corsAllowedOrigins?: readonly string[];
  readonly requestTimeoutMs?: Millis;
  /** Watches that do not say how long they want to last end after this time at least, and twice as much at most. */
  readonly minWatchMs?: Millis;
  readonly inFlightLimits?: InFlightLimits;
  /** Whether containers may be privileged; true unless stated. */
  readonly allowsPrivileged?: boolean;
  /** How servers come to stand behind the `kubernetes` service. */
  readonly endpointReconciler?: EndpointReconciler;
  /** How long events are kept; an hour unless stated. */
  readonly eventTtlSeconds?: number;
  /** Whether to make what every cluster has (system namespaces, priority classes …) before the first request. True unless stated. */
  readonly bootstraps?: boolean;
  /** Whether other API servers may use the same store. */
  readonly sharesStore?: boolean;
  /** The name of the machine, by which the servers of a shared store are told apart. */
  readonly hostname?: string;
  /** How objects are written to the store; JSON unless stated. Both are read. */
  readonly storageMediaType?: StorageMediaType;
  /** Where the addresses and ports of services come from. */
  readonly serviceRanges?: ServiceRangeOptions;
  /** Shared objects are frozen, so that a bug which changes one shows at once. For tests: it costs time. */
  readonly freezesObjects?: boolean;
  /** Fails if messages to the log are lost. */
  readonly checkLog?: () => void;
  /** Asked by `/healthz`, `/livez` and `/readyz` beside the server's own. */
  readonly healthChecks?: readonly HealthCheck[];
}

export interface ApiServer extends AsyncDisposable {
  readonly exchange: Exchange;
  readonly features: FeatureGates;
  /** Opens a channel through the same filters: exec, attach, port-forward. A refusal is thrown as a `StatusError`. */
  connect(request: ApiRequest, protocols: readonly string[]): Promise<Channel>;
  /** The same for the edge: a refusal is the response that it sends. */
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly resources: ResourceTable;
  readonly parts: ServerParts;
  /** What else belongs to its start, as its health endpoints tell it. */
  readonly hooks: PostStartHooks;
  /** Puts the server behind the `kubernetes` service, once it listens. */
  announce(address: ServerAddress): Promise<void>;
  /** Tells others how this server finds out who somebody is. */
  publish(info: AuthenticationInfo): Promise<void>;
  /** Begins the end: it is no longer ready, but goes on serving until it is disposed. */
  shutDown(): void;
  /** From now on it serves nothing but its health and single leases: whoever still asks for something is told to go. */
  refuse(): void;
}

const protobufType = 'application/vnd.kubernetes.protobuf';

export type StorageMediaType = 'application/json' | typeof protobufType;

const defaultTimeoutMs: Millis = 60_000;
const defaultMinWatchMs: Millis = 1_800_000;
/** Requests that are under way at the end get this long. */
const longestEndMs: Millis = 2_000;

/** Starts an API server on a store. It answers from the moment that the promise resolves. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, random, logger, metrics, tracer } = options;
  const base = options.storageMediaType === protobufType ? protobufStore(options.store) : options.store;
  const store =
    metrics === noMetrics
      ? base
      : measuredStore(base, { clock, metrics, resourceAt: (prefix) => resources.storedAt(prefix) });
  const feed = new ChangeFeed(storageRoot, { store, clock, logger });
  const leases = new Leases(store, clock);
  const onShare = options.freezesObjects ? deepFreeze : undefined;
  const { eventTtlSeconds, allowsPrivileged, features = usualFeatures } = options;
  const tables = { store, feed, leases, clock, tracer, onShare, eventTtlSeconds };
  const resources = builtInResources(options.runtimeConfig ?? {}, tables);
  const objects = createObjectReader(() => resources);
  const own = { clock, random, tracer, objects, features, allowsPrivileged };
  const plain = new Registry({ ...own, admission: new AdmissionChain([]) });
  const plainWriter = createObjectWriter(resources, plain);
  const meter = metrics === noMetrics ? undefined : new AdmissionMeter({ clock, metrics });
  const admission = new AdmissionChain(options.admission(objects, plainWriter), meter);
  const services = createServiceAddressing(
    { store, objects, writer: plainWriter, clock, random, logger },
    options.serviceRanges ?? {},
  );
  const registry = new Registry({ ...plain.deps, admission, serviceAllocator: services.allocator });
  const writer = createObjectWriter(resources, registry.withAdmission(new AdmissionChain([])));
  let serverAddress = options.serverAddress ?? '127.0.0.1:6443';
  const parts: ServerParts = {
    objects,
    writer,
    registry,
    resources,
    features,
    clock,
    random,
    serverAddress: () => serverAddress,
  };
  const deps: HandlerDependencies = {
    parts,
    features,
    registry,
    resources,
    clock,
    random,
    logger,
    metrics,
    subresources: { ...builtInSubresources, ...options.subresources?.(parts) },
    sentEvents: new SentEvents(metrics),
    terminatedWatchers: metrics.counter({
      name: 'apiserver_terminated_watchers_total',
      help: 'Watches that were ended because their clients did not keep up.',
      labels: ['group', 'resource'],
    }),
    deprecatedApis: metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated APIs that somebody has used.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    }),
    longRunning: new LongRunning(metrics),
    minWatchMs: options.minWatchMs ?? defaultMinWatchMs,
    budget: new TimeBudget(clock),
    watches: new Set(),
  };
  showFeatures(features, metrics);
  const counted = countRequests({ clock, metrics, resources, logger });
  const shutdown = new Shutdown();
  const around = { clock, serverEnd: shutdown.signal };
  const { checkLog, healthChecks: more } = options;
  const hooks = new PostStartHooks();
  const checks = ownChecks({ store, clock, feed, resources, shutdown, hooks, checkLog, more });
  const handler = buildHandler(options, { deps, counted, shutdown, checks });
  const exchange: Exchange = (request) => handler(new IncomingRequest(request, around));
  const upgrade: ApiServer['upgrade'] = async (request, protocols) => {
    const wanted: Upgrade = { protocols };
    const response = await handler(new IncomingRequest(request, { ...around, upgrade: wanted }));
    return wanted.channel ?? response;
  };
  await feed.start();
  await hooks.run('storage-readiness', () =>
    Promise.all(resources.allStored().map(({ storage }) => storage.cache.load())),
  );
  await hooks.run('start-service-ip-repair-controllers', () => services.start());
  const clusterIp = firstServiceAddress(options.serviceRanges);
  const upkeep =
    options.bootstraps === false
      ? undefined
      : await bootstrapCluster(parts, {
          clusterIp,
          logger,
          hooks,
          sharedStore: options.sharesStore ? store : undefined,
          hostname: options.sharesStore ? options.hostname : undefined,
          endpointReconciler: options.endpointReconciler,
        });
  const customResources = new CustomResourceServer({ parts, tables, logger });
  await hooks.run('start-apiextensions-controllers', () => customResources.start());
  const flowSchemas = new FlowSchemaStatus(parts, exchange, logger);
  if (upkeep) flowSchemas.start();
  return {
    exchange,
    features,
    connect: async (request, protocols) => {
      const headers = { ...request.headers, [acceptsValues]: '1' };
      const opened = await upgrade({ ...request, headers }, protocols);
      if ('status' in opened) throw failureIn(opened);
      return opened;
    },
    upgrade,
    objects,
    writer,
    resources,
    parts,
    hooks,
    announce: async (address) => {
      if (address.host !== undefined) serverAddress = hostAndPort(address.host, address.port);
      await upkeep?.announce(address);
    },
    publish: async (info) => upkeep?.publish(info),
    shutDown: () => shutdown.begin(),
    refuse: () => shutdown.refuse(),
    [Symbol.asyncDispose]: async () => {
      shutdown.begin();
      for (const watch of [...deps.watches]) watch.end();
      await upkeep?.[Symbol.asyncDispose]();
      flowSchemas[Symbol.dispose]();
      customResources[Symbol.dispose]();
      services[Symbol.dispose]();
      const patience = new AbortController();
      const over = sleep(clock, longestEndMs, patience.signal).catch(() => undefined);
      await Promise.race([counted.drained(), over]);
      patience.abort();
      shutdown.refuse();
      feed[Symbol.dispose]();
    },
  };
}

interface HandlerParts {
  readonly deps: HandlerDependencies;
  readonly counted: CountedRequests;
  readonly shutdown: Shutdown;
  readonly checks: OwnChecks;
}

/** The whole way of a request, in order. */
function buildHandler(options: ApiServerOptions, { deps, counted, shutdown, checks }: HandlerParts): Handler {
  const { clock, random, logger, tracer } = options;
  const authorizer = options.authorizer(deps.parts.objects);
  return chain(
    [
      auditIds(random),
      warnings,
      cors(options.corsAllowedOrigins ?? []),
      answerErrors(logger),
      requestInfo(),
      ...(tracer === noTracer ? [] : [traceRequest(tracer, clock)]),
      shutdown.filter,
      counted.filter,
      deadline(clock, options.requestTimeoutMs ?? defaultTimeoutMs),
      authenticate(options.authenticators(deps.parts.objects, deps.parts.writer), deps),
      impersonate(authorizer, deps.features),
      flowControl(clock, options.inFlightLimits),
      authorize(authorizer, deps.metrics),
    ],
    serveResources(deps, buildEndpoints(options, deps, checks)),
  );
}

function buildEndpoints(options: ApiServerOptions, deps: HandlerDependencies, checks: OwnChecks): Handler {
  const { metrics, logger } = options;
  const discovery = new Discovery({
    resources: deps.resources,
    serverAddress: deps.parts.serverAddress,
    serviceRanges: options.serviceRanges,
    hasStorageVersions: deps.features.isOn('StorageVersionHash'),
  });
  const { resources } = deps;
  const { processStats, profiler, clock, store } = options;
  const storeSize = async () => await store.sizeBytes?.();
  const settle = () => deps.sentEvents.settle();
  const createdAt = clock.now();
  const startedAt = () => (processStats ? processStats().startTimeSeconds * 1000 : createdAt);
  const record = new HealthRecord();
  const page =
    metrics instanceof PrometheusMetrics
      ? new MetricsPage({ metrics, resources, processStats, storeSize, settle })
      : undefined;
  return serveEndpoints({
    discovery,
    health: {
      '/healthz': new HealthEndpoint('/healthz', () => checks.live, { logger, record }),
      '/livez': new HealthEndpoint('/livez', () => checks.live, { logger, record }),
      '/readyz': new HealthEndpoint('/readyz', () => checks.ready, { logger, record }),
    },
    healthText: () => record.render(),
    metricsText: page && (() => page.render()),
    resetMetrics: page && (() => page.reset()),
    more: {
      ...openApiEndpoints(deps.resources),
      ...(profiler && profilingEndpoints({ profiler, clock, underWay: () => deps.longRunning.counts() })),
      ...(options.logFiles && logEndpoints(options.logFiles)),
      ...options.endpoints?.(deps.parts),
    },
    aboutItself: (paths) => ownPages(deps.features, { ...options, flags: options.flags ?? {}, startedAt, paths }),
  });
}

/** `/statusz` and `/flagz`, as far as their gates are on. */
function ownPages(
  features: FeatureGates,
  options: Omit<ZPagesOptions, 'component'>,
): Readonly<Record<string, Handler>> {
  const { '/statusz': statusz, '/flagz': flagz } = zPages({ ...options, component: 'kube-apiserver' });
  return {
    ...(features.isOn('ComponentStatusz') && { '/statusz': ({ request }) => statusz(request) }),
    ...(features.isOn('ComponentFlagz') && { '/flagz': ({ request }) => flagz(request) }),
  };
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The failure in an answer to somebody who wanted a channel. Kubelets answer in bare text. */
function failureIn({ body }: ApiResponse): StatusError {
  if (body.kind === 'value') return new StatusError(body.value as Status);
  if (body.kind !== 'bytes') return pageNotFound();
  const text = body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
  return failure('InternalError', `unable to upgrade connection: ${text.trim()}`);
}
