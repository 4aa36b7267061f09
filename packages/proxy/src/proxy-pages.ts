import { type ApiResponse, type Exchange, pageNotFound } from '@coracle/apimachinery';
import type { Clock, Millis, PrometheusMetrics } from '@coracle/base';
import type { ServiceProxy } from './service-proxy.js';

export interface ProxyPagesOptions {
  readonly proxy: Pick<ServiceProxy, 'state'>;
  readonly clock: Clock;
  /** Time that a change may wait before the proxy counts as unhealthy. */
  readonly syncPeriodMs: Millis;
  /** Whether new connections may be sent to the node: not while it is being deleted. */
  readonly nodeEligible: () => boolean;
}

/** Paths of the health port for load balancers: `/healthz` counts the node in, `/livez` the proxy alone. */
export function healthPages({ proxy, clock, syncPeriodMs, nodeEligible }: ProxyPagesOptions): Exchange {
  return async ({ path }) => {
    if (path !== '/healthz' && path !== '/livez') throw pageNotFound();
    const { lastSynced, changedSince } = proxy.state;
    const now = clock.now();
    const healthy = lastSynced !== undefined && (changedSince === undefined || now - changedSince < 2 * syncPeriodMs);
    const eligible = path === '/livez' || nodeEligible();
    const time = (at: Millis | undefined) => new Date(at ?? 0).toISOString();
    const body = {
      // While no write is pending, the rules are up to date.
      lastUpdated: time(healthy ? now : lastSynced),
      currentTime: time(now),
      ...(path === '/healthz' && { nodeEligible: eligible }),
    };
    return text(healthy && eligible ? 200 : 503, JSON.stringify(body), 'application/json');
  };
}

/** The mode of the proxy: the packet filter, or only node ports by this process. */
export type ProxyMode = 'nftables' | 'userspace';

/** The content of the metrics port. */
export function metricsPages(
  metrics: PrometheusMetrics,
  { mode, config }: { readonly mode: ProxyMode; readonly config: Readonly<Record<string, unknown>> },
): Exchange {
  return async ({ path }) => {
    if (path === '/metrics') return text(200, metrics.render(), 'text/plain; version=0.0.4; charset=utf-8');
    if (path === '/healthz') return text(200, 'ok', 'text/plain; charset=utf-8');
    if (path === '/proxyMode') return text(200, mode, 'text/plain; charset=utf-8');
    if (path === '/configz') return text(200, JSON.stringify(config), 'application/json');
    throw pageNotFound();
  };
}

function text(status: number, body: string, contentType: string): ApiResponse {
  const headers = { 'content-type': contentType, 'x-content-type-options': 'nosniff' };
  return { status, headers, body: { kind: 'bytes', chunks: [new TextEncoder().encode(body)] } };
}
