import {
  type ApiResponse,
  acceptsValues,
  failure,
  pageNotFound,
  type Status,
  StatusError,
} from '@coracle/apimachinery';
import { type Clock, DisposableStack, type Millis, noTracer, PrometheusMetrics, sleep } from '@coracle/base';
import type { Store } from '@coracle/store';
import { Aggregator } from './aggregation/aggregator.js';
import type { ApiServer, ApiServerOptions, ServedCrd } from './api-server-options.js';
import { type BootstrapParts, bootstrapCluster, type Upkeep } from './bootstrap/bootstrap.js';
import { customResources, customStorage } from './custom-resources/custom-resource.js';
import { CustomResourceServer } from './custom-resources/custom-resource-server.js';
import { VersionSchemas } from './custom-resources/version-machinery.js';
import { Discovery } from './discovery/discovery.js';
import { logEndpoints } from './endpoints/logs.js';
import { MetricsPage } from './endpoints/metrics.js';
import { openApiEndpoints } from './endpoints/openapi.js';
import { profilingEndpoints } from './endpoints/profiling.js';
import { serveEndpoints } from './endpoints/serve-endpoints.js';
import { type ZPagesOptions, zPages } from './endpoints/z-pages.js';
import type { FeatureGates } from './features/feature-gates.js';
import { showFeatures } from './features/show-features.js';
import { answerErrors } from './filters/answer-errors.js';
import { Auditor } from './filters/audit.js';
import { auditIds } from './filters/audit-ids.js';
import { authenticate } from './filters/authenticate.js';
import { authorize } from './filters/authorize.js';
import { cors } from './filters/cors.js';
import { type CountedRequests, countRequests } from './filters/count-requests.js';
import { deadline } from './filters/deadline.js';
import { impersonate } from './filters/impersonate.js';
import { defaultInFlightLimits, inFlightLimits } from './filters/in-flight-limits.js';
import { priorityAndFairness } from './filters/priority-and-fairness.js';
import { requestInfo } from './filters/request-info.js';
import { traceRequest } from './filters/trace-request.js';
import { warnings } from './filters/warnings.js';
import { flowControlEndpoints } from './flow-control/dump.js';
import { FlowController } from './flow-control/flow-controller.js';
import { FlowSchemaStatus } from './flow-control/flow-schema-status.js';
import { chain, type Filter, type Handler, type Upgrade } from './handler-chain.js';
import type { HandlerDependencies } from './handlers/operation.js';
import { serveResources } from './handlers/resource-handler.js';
import { HealthEndpoint, HealthRecord } from './health/health-checks.js';
import { type OwnChecks, ownChecks } from './health/own-checks.js';
import { PostStartHooks } from './health/post-start-hooks.js';
import { Shutdown } from './health/shutdown.js';
import { IncomingRequest, OpenRequests } from './incoming-request.js';
import { firstServiceAddress } from './registry/core/service-allocation/service-ranges.js';
import type { Needs } from './server-parts.js';
import { handlerDependencies, type WiredParts, wireParts } from './wire-parts.js';

const defaultTimeoutMs: Millis = 60_000;
/** Time for requests in flight to finish at shutdown. */
const longestEndMs: Millis = 2_000;

/** Starts an API server on a store. It serves requests once the promise resolves. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, logger, metrics, checkLog, healthChecks: more } = options;
  const wired = wireParts(options);
  const { store, feed, otherFeeds, parts } = wired;
  const { objects, writer, resources, features } = parts;
  const deps = handlerDependencies(options, parts);
  showFeatures(features, metrics);
  const aggregator = new Aggregator({ parts, logger, metrics, identity: options.proxyIdentity });
  const counted = countRequests({ clock, metrics, resources, logger });
  const shutdown = new Shutdown();
  const hooks = new PostStartHooks();
  const feeds = [feed, ...otherFeeds];
  const checks = ownChecks({ store, clock, feeds, resources, shutdown, hooks, checkLog, more });
  const running = new DisposableStack();
  const flows = createFlowController(options, parts);
  if (flows) running.use(flows);
  const auditor = createAuditor(options, parts, running);
  const handler = buildHandler(options, { deps, counted, shutdown, checks, aggregator, flows, auditor });
  const entries = entriesOf(handler, clock, shutdown);
  for (const one of feeds) running.use(one);
  running.defer(async () => {
    await drain(counted, clock);
    shutdown.refuse();
  });
  const upkeep = await start(options, { wired, hooks, aggregator, exchange: entries.exchange, running }).catch(
    async (error) => {
      await running[Symbol.asyncDispose]();
      throw error;
    },
  );
  return {
    ...entries,
    features,
    objects,
    writer,
    resources,
    parts,
    hooks,
    announce: async (address) => {
      if (address.host !== undefined) wired.setAddress(hostAndPort(address.host, address.port));
      await upkeep?.announce(address);
    },
    publish: async (info) => upkeep?.publish(info),
    shutDown: () => shutdown.begin(),
    refuse: () => shutdown.refuse(),
    [Symbol.asyncDispose]: async () => {
      shutdown.begin();
      for (const watch of [...deps.watches]) watch.end();
      await running[Symbol.asyncDispose]();
    },
  };
}

interface Start {
  readonly wired: WiredParts;
  readonly hooks: PostStartHooks;
  readonly aggregator: Aggregator;
  readonly exchange: ApiServer['exchange'];
  /** Everything to dispose of when the server stops or fails to start. */
  readonly running: DisposableStack;
}

async function start(
  options: ApiServerOptions,
  { wired, hooks, aggregator, exchange, running }: Start,
): Promise<Upkeep | undefined> {
  const { store, feed, otherFeeds, services, parts, tables } = wired;
  const { logger } = options;
  await Promise.all([feed, ...otherFeeds].map((one) => one.start()));
  const loadAll = () => Promise.all(parts.resources.allStored().map(({ storage }) => storage.cache.load()));
  await hooks.run('storage-readiness', loadAll, checksOfCaches);
  if (options.crds) await serveCrds(options.crds, wired);
  else {
    running.use(services);
    await hooks.run('start-service-ip-repair-controllers', () => services.start());
  }
  const upkeep =
    options.bootstraps === false ? undefined : running.use(await bootstrap(options, { parts, store, hooks }));
  const customResources = running.use(new CustomResourceServer({ parts, tables, logger }));
  await hooks.run('start-apiextensions-controllers', () => customResources.start(), [
    'poststarthook/crd-informer-synced',
  ]);
  running.use(aggregator);
  await hooks.run('apiservice-registration-controller', async () => aggregator.start(), checksOfAggregation);
  const flowSchemas = running.use(new FlowSchemaStatus(parts, exchange, logger));
  if (upkeep) flowSchemas.start();
  return upkeep;
}

/** The parts of the server and its admission plugins read from the caches of resources. */
const checksOfCaches = [
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/start-kube-apiserver-admission-initializer',
];
const checksOfAggregation = [
  'poststarthook/apiservice-status-available-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

/** Serves custom resources whose CRDs are not stored. */
async function serveCrds(crds: readonly ServedCrd[], { parts, tables }: WiredParts): Promise<void> {
  for (const { spec } of crds) {
    const metadata = { name: `${spec.names.plural}.${spec.group}` };
    const conditions = [{ type: 'Established', status: 'True' }];
    const crd = { metadata, spec, status: { acceptedNames: spec.names, conditions } };
    const schemas = new VersionSchemas(() => crd);
    const storage = customStorage(crd, schemas, tables);
    await storage.cache.load();
    for (const resource of customResources({ crd, schemas, storage, deps: parts })) parts.resources.add(resource);
  }
}

/** The entry points of the server: all of them use the same filters. */
function entriesOf(
  handler: Handler,
  clock: Clock,
  shutdown: Shutdown,
): Pick<ApiServer, 'exchange' | 'upgrade' | 'connect'> {
  const around = { clock, openRequests: new OpenRequests(shutdown.signal) };
  const upgrade: ApiServer['upgrade'] = async (request, protocols) => {
    const upgrade: Upgrade = { protocols };
    const response = await handler(new IncomingRequest(request, { ...around, upgrade }));
    return upgrade.channel ?? response;
  };
  return {
    exchange: (request) => handler(new IncomingRequest(request, around)),
    upgrade,
    connect: async (request, protocols) => {
      const headers = { ...request.headers, [acceptsValues]: '1' };
      const opened = await upgrade({ ...request, headers }, protocols);
      if ('status' in opened) throw failureIn(opened);
      return opened;
    },
  };
}

function bootstrap(
  options: ApiServerOptions,
  { parts, store, hooks }: { readonly parts: BootstrapParts; readonly store: Store; readonly hooks: PostStartHooks },
): ReturnType<typeof bootstrapCluster> {
  return bootstrapCluster(parts, {
    service: {
      clusterIp: firstServiceAddress(options.serviceRanges),
      nodePort: options.serviceRanges?.kubernetesNodePort,
    },
    logger: options.logger,
    hooks,
    sharedStore: options.sharesStore ? store : undefined,
    hostname: options.sharesStore ? options.hostname : undefined,
    endpointReconciler: options.endpointReconciler,
  });
}

/** Waits for running requests, with a timeout. */
async function drain(counted: CountedRequests, clock: Clock): Promise<void> {
  const patience = new AbortController();
  const over = sleep(clock, longestEndMs, patience.signal).catch(() => undefined);
  await Promise.race([counted.drained(), over]);
  patience.abort();
}

interface HandlerParts {
  readonly deps: HandlerDependencies;
  readonly counted: CountedRequests;
  readonly shutdown: Shutdown;
  readonly checks: OwnChecks;
  readonly aggregator: Aggregator;
  readonly auditor: Auditor | undefined;
  /** Without priority and fairness there are two in-flight limits. */
  readonly flows: FlowController | undefined;
}

function flowControl({ clock, inFlightLimits: limits }: ApiServerOptions, { flows, deps }: HandlerParts): Filter {
  if (!flows) return inFlightLimits(clock, limits);
  return priorityAndFairness({ controller: flows, resources: deps.resources, clock });
}

/** Its backends are closed after the last request, so that no event is lost. */
function createAuditor(
  { audit, clock, metrics, logger }: ApiServerOptions,
  parts: Needs<'outbound'>,
  running: DisposableStack,
): Auditor | undefined {
  const options = audit?.(parts);
  if (!options) return undefined;
  for (const backend of options.backends) running.use(backend);
  return new Auditor(options, { clock, metrics, logger });
}

/** A request waits in a queue for at most a quarter of its timeout. */
function createFlowController(
  options: ApiServerOptions,
  { resources, objects }: Needs<'resources' | 'objects'>,
): FlowController | undefined {
  const { clock, metrics, priorityAndFairness: isOn = true, requestTimeoutMs = defaultTimeoutMs } = options;
  const { readOnly, mutating } = options.inFlightLimits ?? defaultInFlightLimits;
  const serverSeats = readOnly + mutating;
  if (!isOn || serverSeats === 0) return undefined;
  return new FlowController({ objects, resources, clock, metrics, serverSeats, waitLimitMs: requestTimeoutMs / 4 });
}

/** All filters and the handler of a request, in order. */
function buildHandler(options: ApiServerOptions, parts: HandlerParts): Handler {
  const { deps, counted, shutdown, aggregator, auditor } = parts;
  const { clock, random, logger, tracer } = options;
  const { authorizer } = deps;
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
      ...(auditor ? [auditor.failures] : []),
      authenticate(options.authenticators(deps.parts), deps),
      ...(auditor ? [auditor.filter] : []),
      impersonate(authorizer, deps.features),
      flowControl(options, parts),
      authorize(authorizer, deps.metrics),
      aggregator.filter,
    ],
    serveResources(deps, buildEndpoints(options, parts)),
  );
}

function buildEndpoints(options: ApiServerOptions, { deps, checks, aggregator, flows }: HandlerParts): Handler {
  const { metrics, logger } = options;
  const discovery = new Discovery({
    resources: deps.resources,
    serverAddress: deps.parts.serverAddress,
    serviceRanges: options.serviceRanges,
    hasStorageVersions: deps.features.isOn('StorageVersionHash'),
    remote: aggregator,
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
      ...(flows && flowControlEndpoints(flows)),
      ...options.endpoints?.(deps.parts),
    },
    aboutItself: (paths) => ownPages(deps.features, { ...options, flags: options.flags ?? {}, startedAt, paths }),
  });
}

/** `/statusz` and `/flagz`, if their gates are on. */
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

/** The error response to a client that requested a channel. Kubelets answer in plain text. */
function failureIn({ body }: ApiResponse): StatusError {
  if (body.kind === 'value') return new StatusError(body.value as Status);
  if (body.kind !== 'bytes') return pageNotFound();
  const text = body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
  return failure('InternalError', `unable to upgrade connection: ${text.trim()}`);
}
