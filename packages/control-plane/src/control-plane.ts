import { type Lease, refs } from '@coracle/api';
import {
  type ApiServer,
  type ApiServerOptions,
  type ComponentProbe,
  checkStore,
  componentStatuses,
  createApiServer,
  type Needs,
  type NodeConnector,
  nodeAccess,
  type ObjectReader,
  reconcileRbac,
} from '@coracle/apiserver';
import { Activity, type Clock, DisposableStack, type Millis } from '@coracle/base';
import {
  BucketRateLimiter,
  type Client,
  createClient,
  createInformers,
  inProcessTransport,
  type Transport,
} from '@coracle/client';
import type { ControllerSettings } from '@coracle/controllers';
import type { Store } from '@coracle/store';
import { clockEndpoints } from './clock-endpoint.js';
import {
  type Component,
  type ComponentOptions,
  type ControllerManagerSettings,
  runControllerManager,
  runScheduler,
  type SchedulerSettings,
  type WrapTransport,
} from './components.js';
import { debugEndpoints } from './debug-endpoints.js';
import { historyEndpoints } from './history-endpoint.js';
import { runMetricsServer } from './metrics-server.js';
import { dialerToPods, type NodeProvider, noRemoteNodes, type ProvidedNodes, routeToNodes } from './node-provider.js';
import { nodesEndpoints } from './nodes-endpoint.js';
import { type PrometheusSettings, runPrometheusAdapter } from './prometheus-adapter.js';
import { createSecurity, type SecurityOptions } from './security.js';
import { traceEndpoints } from './trace-endpoint.js';
import { userAgentOf } from './user-agent.js';
import { removeWhyApi, runWhyApi } from './why-api.js';
import { whyEndpoints } from './why-endpoint.js';

/** Options that are passed to the API server unchanged. */
type ServerOptions = Pick<
  ApiServerOptions,
  | 'store'
  | 'storeOverrides'
  | 'clock'
  | 'random'
  | 'logger'
  | 'metrics'
  | 'tracer'
  | 'runtimeConfig'
  | 'features'
  | 'sharesStore'
  | 'hostname'
  | 'storageMediaType'
  | 'processStats'
  | 'profiler'
  | 'logFiles'
  | 'flags'
  | 'allowsPrivileged'
  | 'endpointReconciler'
  | 'corsAllowedOrigins'
  | 'requestTimeoutMs'
  | 'checkLog'
  | 'minWatchMs'
  | 'inFlightLimits'
  | 'audit'
  | 'priorityAndFairness'
  | 'eventTtlSeconds'
  | 'serviceRanges'
  | 'dialer'
  | 'proxyIdentity'
>;

type OwnSecurityOptions = Omit<SecurityOptions, 'clock' | 'random' | 'logger' | 'metrics'>;

export interface ControlPlaneOptions
  extends ServerOptions,
    OwnSecurityOptions,
    Pick<ControllerSettings, 'localPath' | 'nodeIpam' | 'loadBalancer' | 'certificateSigner'>,
    Pick<SchedulerSettings, 'debugRequests'>,
    Pick<ComponentOptions, 'activity' | 'leaderElection'> {
  /** The cluster's CA certificate as PEM, which pods check the API server's by; empty if it does not listen. */
  readonly caCertificate?: string;
  /** Called with the name of each part that has started, for display. */
  readonly onProgress?: ((started: string) => void) | undefined;
  /** Start the nodes that run in this process; none unless stated. */
  readonly nodeProviders?: readonly NodeProvider[];
  /** A wrapper between the components and the API server, to inject faults; not between it and `client`. */
  readonly wrapTransport?: ((transport: Transport) => Transport) | undefined;
  /** The way to the kubelets of all other nodes. */
  readonly nodeConnector?: NodeConnector;
  /** Whether `metrics.k8s.io` is served from the statistics of kubelets; not unless stated. */
  readonly metricsServer?: boolean;
  /** Whether the scheduler serves its explanations in a separate API group; false by default. */
  readonly whyApi?: boolean;
  /** Serves custom and external metrics from Prometheus; not unless stated. */
  readonly prometheus?: PrometheusSettings;
  /** Which controllers run, with how many workers and which periods; those of kube-controller-manager unless stated. */
  readonly controllerManager?: Partial<ControllerManagerSettings>;
  /** Configuration, extenders and plugins of the scheduler; those of kube-scheduler unless stated. */
  readonly scheduler?: Omit<SchedulerSettings, 'debugRequests'>;
  /** Which components run beside the API server; all unless stated. */
  readonly components?: { readonly scheduler?: boolean; readonly controllers?: boolean };
}

export interface ControlPlane extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client in this process, as an administrator. */
  readonly client: Client;
  /** A client in this process as another user. */
  clientFor(user: string, groups?: readonly string[], wrap?: WrapTransport): Client;
}

/**
 * Burst and rate of events: beyond the burst they are limited, or events would take half the time of a large rollout.
 */
const eventPace = { burst: 300, perSecond: 100 };

/** Starts an API server on the store and the components that make it a cluster. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const parts = new DisposableStack();
  try {
    const security = createSecurity(options);
    const { components = {}, caCertificate = '', onProgress } = options;
    const running: Running = { nodes: [] };
    const watched = parts.use(historyEndpoints(options));
    const connector = routeToNodes(() => running.nodes, options.nodeConnector ?? noRemoteNodes);
    const server = parts.use(
      await createApiServer({
        ...options,
        ...security,
        podDialer: dialerToPods(() => running.nodes),
        endpoints: (own) => ({
          ...security.endpoints?.(own),
          ...watched.endpoints,
          ...ownEndpoints(options, own.objects, running),
        }),
        subresources: (own) => ({
          ...nodeAccess(connector),
          '/componentstatuses': componentStatuses(probesOf(running, own, options.store)),
          ...security.subresources?.(own),
        }),
      }),
    );
    await server.hooks.run('rbac/bootstrap-roles', () => reconcileRbac({ ...server, isServed: servedBy(server) }));
    const direct = inProcessTransport(server);
    const clientFor = clientsOver(direct);
    const componentClient = clientsOver(options.wrapTransport?.(direct) ?? direct);
    const client = clientFor('kubernetes-admin', ['system:masters']);
    // A consistent read: from here on authorization, which reads the caches, has the roles written above.
    await client.clusterRoleBindings().list({ limit: 1 });
    onProgress?.('API server');
    const shared = {
      ...options,
      clientFor: componentClient,
      watchSeconds: inProcessWatchSeconds,
      pace: new BucketRateLimiter({ clock: options.clock, ...eventPace }),
    };
    const controlPlane = new Activity(options.activity);
    const beside: AsyncDisposable[] = [];
    parts.defer(() => endBeside(beside, server, options.clock));
    if (components.controllers ?? true) {
      const { signToken } = security;
      const settings = { ...options.controllerManager, activity: controlPlane, caCertificate, signToken };
      running.controllers = runControllerManager({ ...shared, ...settings });
      beside.push(running.controllers);
      onProgress?.('controllers');
    }
    if (components.scheduler ?? true) {
      running.scheduler = runScheduler({ ...shared, ...options.scheduler, activity: controlPlane });
      beside.push(running.scheduler);
      onProgress?.('scheduler');
    }
    const nodeParts = new DisposableStack();
    beside.push(nodeParts);
    running.nodes = await startNodes({ ...shared, controlPlane, server }, nodeParts);
    for (const { description } of running.nodes) onProgress?.(`nodes (${description})`);
    await startApiGroups(options, { server, client, connector, scheduler: () => running.scheduler }, parts);
    if (components.controllers ?? true) await untilUsable(client, options.clock);
    return {
      server,
      client,
      clientFor,
      [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
    };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** Watches are begun again to spread over API servers; of the server in this process there is one. */
const inProcessWatchSeconds = 24 * 60 * 60;

/** API groups that are served beside those of the API server, each behind its APIService. */
async function startApiGroups(
  options: ControlPlaneOptions,
  host: Pick<ControlPlane, 'server' | 'client'> & {
    readonly connector: NodeConnector;
    readonly scheduler: () => Component | undefined;
  },
  parts: DisposableStack,
): Promise<void> {
  const { metricsServer, whyApi, prometheus } = options;
  if (metricsServer) parts.use(await runMetricsServer({ ...options, ...host }));
  if (whyApi) parts.use(await runWhyApi(host));
  else await removeWhyApi(host);
  if (prometheus) parts.use(await runPrometheusAdapter({ ...options, ...prometheus, ...host }));
}

function servedBy({ parts: { resources } }: ApiServer): Parameters<typeof reconcileRbac>[0]['isServed'] {
  return ({ group, version, resource }) => resources.find(group, version, resource) !== undefined;
}

/** Pages about this cluster that no other has. */
function ownEndpoints(options: ControlPlaneOptions, objects: ObjectReader, running: Running) {
  return {
    ...traceEndpoints(options.tracer, objects),
    ...clockEndpoints(options),
    ...debugEndpoints(() => running.controllers),
    ...whyEndpoints(() => running.scheduler),
    ...nodesEndpoints(() => running.nodes),
  };
}

interface Running {
  scheduler?: Component;
  controllers?: Component;
  nodes: readonly ProvidedNodes[];
}

/** Components of this process report their health directly. Others are healthy while they hold their lease. */
function probesOf(
  running: Running,
  { objects, clock }: Needs<'objects' | 'clock'>,
  store: Store,
): Record<string, ComponentProbe> {
  const askLease = (name: string) => checkLease(name, objects.get(refs.leases, 'kube-system', name), clock.now());
  return {
    scheduler: () => (running.scheduler ? running.scheduler.check() : askLease('kube-scheduler')),
    'controller-manager': () =>
      running.controllers ? running.controllers.check() : askLease('kube-controller-manager'),
    'etcd-0': () => checkStore(store, clock),
  };
}

function checkLease(name: string, lease: Lease | undefined, now: Millis): void {
  const { renewTime, leaseDurationSeconds = 0, holderIdentity } = lease?.spec ?? {};
  if (!renewTime || !holderIdentity) throw new Error(`the lease ${name} has no holder`);
  if (Date.parse(renewTime) + leaseDurationSeconds * 1000 < now)
    throw new Error(`${holderIdentity} has not renewed the lease of ${name} since ${renewTime}`);
}

/** Time for components to finish at shutdown. */
const patienceMs: Millis = 250;

/**
 * Stops all components concurrently. Each can be interrupted at any point and continue later, so the shutdown does not
 * depend on their remaining work: after a timeout the server rejects their requests.
 */
async function endBeside(beside: readonly AsyncDisposable[], server: ApiServer, clock: Clock): Promise<void> {
  server.shutDown();
  const timer = clock.schedule(patienceMs, () => server.refuse());
  const ends = await Promise.allSettled(beside.map((part) => part[Symbol.asyncDispose]()));
  timer[Symbol.dispose]();
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The nodes share one watch on all pods, which no single node would be allowed; all else they do as themselves. */
async function startNodes(
  options: ControlPlaneOptions & Pick<ControlPlane, 'clientFor' | 'server'> & { readonly controlPlane: Activity },
  parts: DisposableStack,
): Promise<ProvidedNodes[]> {
  const { nodeProviders = [], server, clientFor } = options;
  if (nodeProviders.length === 0) return [];
  const client = clientFor('system:coracle:nodes', ['system:masters']);
  const informers = parts.use(createInformers({ ...options, client }));
  const started: ProvidedNodes[] = [];
  for (const provider of nodeProviders)
    started.push(parts.use(await provider.start({ ...options, informers, objects: server.objects })));
  informers.start();
  return started;
}

function clientsOver(transport: Transport): ControlPlane['clientFor'] {
  return (name, groups = [], wrap) => {
    const own = wrap?.(transport) ?? transport;
    return createClient({ transport: own, userAgent: userAgentOf(name), user: { name, groups } });
  };
}

/** Controllers that wait for a lease, which another process may hold, do not hold up the start for longer. */
const longestWaitMs: Millis = 5_000;

/** Pods can be created once their namespace has a service account: users of a cluster that is ready may count on it. */
async function untilUsable(client: Client, clock: Clock): Promise<void> {
  const over = new AbortController();
  const timer = clock.schedule(longestWaitMs, () => over.abort());
  const fieldSelector = 'metadata.name=default';
  const options = { fieldSelector, resourceVersion: '0', signal: over.signal };
  try {
    for await (const { type } of client.serviceAccounts('default').watch(options)) if (type === 'ADDED') return;
  } catch (error) {
    if (!over.signal.aborted) throw error;
  } finally {
    timer[Symbol.dispose]();
    over.abort();
  }
}
