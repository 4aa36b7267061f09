import {
  Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  messageOf,
  noMetrics,
  PrometheusMetrics,
} from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import {
  conntrackConnections,
  healthCheckPorts,
  nftFilter,
  serveHttp,
  systemClock,
  userSpacePorts,
} from '@coracle/platform-nodejs';
import {
  healthPages,
  metricsPages,
  NodePortProxy,
  type PacketFilter,
  type ProxyMode,
  ServiceProxy,
  type TableOptions,
  usualProxyConfiguration,
} from '@coracle/proxy';

export interface ServiceProxyParts extends TableOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly syncPeriodMs?: number;
  readonly minSyncPeriodMs?: number;
}

/** A proxy of this machine, of either kind. */
export type AnyProxy = Pick<ServiceProxy, 'state' | 'started'> & AsyncDisposable;

/** Serves services by the packet filter. */
export function startNftProxy(options: ServiceProxyParts, filter: PacketFilter): AnyProxy {
  const { logger } = options;
  return new ServiceProxy({
    ...options,
    families: [4, 6],
    filter,
    connections: conntrackConnections({ logger }),
    healthChecks: healthCheckPorts({ logger }),
    activity: new Activity(),
  });
}

/** Serves node ports without the packet filter. */
function startUserSpaceProxy(options: ServiceProxyParts): AnyProxy {
  const { logger } = options;
  const forwarder = userSpacePorts(options);
  return new NodePortProxy({
    ...options,
    forwarder,
    healthChecks: healthCheckPorts({ logger }),
    activity: new Activity(),
  });
}

/** Node ports on the loopback addresses of the machine: the packet filter cannot lead those to pods. */
export function startLoopbackPorts(options: Omit<ServiceProxyParts, keyof TableOptions>): AsyncDisposable {
  const forwarder = userSpacePorts({ nodePortAddresses: ['127.0.0.1/32', '::1/128'] });
  return new NodePortProxy({ ...options, forwarder, metrics: noMetrics, activity: new Activity() });
}

/** The same as the proxy of a real node, with its health and metrics at the ports of kube-proxy. */
export async function startNodePorts(
  options: Omit<ServiceProxyParts, keyof TableOptions | 'syncPeriodMs' | 'minSyncPeriodMs'>,
): Promise<AsyncDisposable> {
  const settings = usualProxyConfiguration();
  const parts = new DisposableStack();
  const proxy = parts.use(startUserSpaceProxy({ ...options, ...settings }));
  const { metrics, logger } = options;
  const config = { 'kubeproxy.config.k8s.io': { ...settings, mode: 'userspace' } };
  const pages = { ...settings, proxy, mode: 'userspace', metrics, nodeEligible: () => true, config } as const;
  parts.use(await tryServeProxyPages(pages, logger));
  return parts;
}

/** The proxy of a mode, with the packet filter that it needs. */
export function startProxyOf(mode: ProxyMode, options: ServiceProxyParts): AnyProxy {
  if (mode === 'userspace') return startUserSpaceProxy(options);
  const filter = nftFilter();
  const proxy = startNftProxy(options, filter);
  return {
    get state() {
      return proxy.state;
    },
    started: () => proxy.started(),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      filter[Symbol.dispose]();
    },
  };
}

export interface ProxyPages {
  readonly proxy: Pick<ServiceProxy, 'state'>;
  readonly mode: ProxyMode;
  readonly metrics: Metrics;
  /** `HOST:PORT`; empty for none. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly syncPeriodMs: number;
  readonly nodeEligible: () => boolean;
  /** The content of `/configz`. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Serves the health and the metrics of a proxy at the addresses of kube-proxy. */
export async function serveProxyPages(options: ProxyPages): Promise<AsyncDisposable> {
  const { proxy, syncPeriodMs, nodeEligible, mode, config, metrics } = options;
  const health = healthPages({ proxy, clock: systemClock, syncPeriodMs, nodeEligible });
  const shown = metrics instanceof PrometheusMetrics ? metrics : new PrometheusMetrics();
  const parts = new DisposableStack();
  for (const [address, pages] of [
    [options.healthzBindAddress, health],
    [options.metricsBindAddress, metricsPages(shown, { mode, config })],
  ] as const) {
    if (address) parts.use(await serveHttp(hostAndPort(address))(pages));
  }
  return parts;
}

/** The same where another kube-proxy may have the ports: that is logged, and no failure. */
export async function tryServeProxyPages(options: ProxyPages, logger: Logger): Promise<AsyncDisposable> {
  const parts = new DisposableStack();
  for (const own of [{ metricsBindAddress: '' }, { healthzBindAddress: '' }])
    await serveProxyPages({ ...options, ...own }).then(
      (served) => parts.use(served),
      (error) =>
        logger.info('the health or the metrics of the service proxy are not served', { error: messageOf(error) }),
    );
  return parts;
}

function hostAndPort(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(address.slice(at + 1)) };
}
