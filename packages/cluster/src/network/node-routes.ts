import { type Node, refs } from '@coracle/api';
import { type Clock, DisposableStack, type Logger, messageOf } from '@coracle/base';
import { type InformerFactory, SyncRunner } from '@coracle/client';
import {
  forwardingChanges,
  planRoutes,
  type RouteBackend,
  type RoutePeer,
  type RoutePlan,
  routeChanges,
  routeProtocol,
  tunnelDevice,
  tunnelLines,
  tunnelOverhead,
} from '@coracle/cni';
import { pluginHost, runTool } from '@coracle/platform-nodejs';

export interface NodeRoutesOptions {
  readonly nodeName: string;
  readonly informers: InformerFactory;
  readonly backend?: RouteBackend;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the routes to the pods of all other nodes, from their objects. */
export function followRoutes(options: NodeRoutesOptions): AsyncDisposable {
  const routes = new NodeRoutes(options);
  const runner = new SyncRunner({
    ...options,
    sync: () => routes.sync(),
    onError: (error) => {
      routes.forget();
      options.logger.error('failed to write the routes to other nodes', { error: messageOf(error) });
    },
    backoff: { initialMs: 1_000, maxMs: 60_000 },
  });
  const parts = new DisposableStack();
  parts.use(runner);
  parts.use(options.informers.for(refs.nodes).addHandler(() => runner.wake()));
  return parts;
}

class NodeRoutes {
  readonly #options: NodeRoutesOptions;
  /** The routes in the kernel; `undefined` if they are not known. */
  #plan: RoutePlan | undefined;

  constructor(options: NodeRoutesOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#plan = undefined;
  }

  async sync(): Promise<void> {
    const { informers, nodeName, backend = 'auto' } = this.#options;
    const nodes = informers.for(refs.nodes).list();
    const own = nodes.find(({ metadata }) => metadata.name === nodeName);
    const others = nodes.filter((node) => node !== own && podCidrsOf(node).length > 0 && addressesOf(node).length > 0);
    if (!own || (others.length === 0 && !this.#plan)) return;
    const peers = await Promise.all(others.map(peerOf));
    const plan = planRoutes(peers, backend);
    if (plan.forwarding.size > 0) await makeTunnel(own);
    const before = this.#plan ?? (await presentRoutes());
    const lines = routeChanges(before, plan);
    if (lines.length > 0) await runTool('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
    const forwarding = forwardingChanges(this.#plan, plan);
    if (forwarding.length > 0) await runTool('bridge', ['-batch', '-'], { input: `${forwarding.join('\n')}\n` });
    this.#plan = plan;
  }
}

/** A node that is reached without a router is the next hop to its pods. */
async function peerOf(node: Node): Promise<RoutePeer> {
  const addresses = addressesOf(node);
  const [first = ''] = addresses;
  const way = JSON.parse(await runTool('ip', ['-json', 'route', 'get', first]).catch(() => '[]'));
  const adjacent = Array.isArray(way) && way.length > 0 && way[0]?.gateway === undefined;
  return { name: node.metadata.name ?? '', addresses, podCidrs: podCidrsOf(node), adjacent };
}

async function makeTunnel(own: Node): Promise<void> {
  const host = pluginHost();
  if (host.linkExists(tunnelDevice)) return;
  const [local = ''] = addressesOf(own);
  const mtu = host.defaultMtu() - tunnelOverhead;
  await runTool('ip', ['-batch', '-'], { input: `${tunnelLines(podCidrsOf(own), { local, mtu }).join('\n')}\n` });
}

/** State left by a previous process. */
async function presentRoutes(): Promise<RoutePlan> {
  const routes = new Map<string, string>();
  for (const family of ['-4', '-6']) {
    const listed = JSON.parse(
      (await runTool('ip', [family, '-json', 'route', 'show', 'proto', String(routeProtocol)])) || '[]',
    );
    for (const { dst } of Array.isArray(listed) ? listed : []) routes.set(String(dst), '');
  }
  return { routes, neighbours: new Map(), forwarding: new Map() };
}

export function podCidrsOf({ spec }: Node): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
}

export function addressesOf({ status }: Node): readonly string[] {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const first = (six: boolean) => internal.find((address) => address.includes(':') === six);
  return [first(false), first(true)].filter((address) => address !== undefined);
}
