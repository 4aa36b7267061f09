import { type EndpointSlice, refs, type Service } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Activity, type Clock, deepEqual, type Logger, type Metrics, type Millis, messageOf } from '@coracle/base';
import { type InformerFactory, SyncRunner } from '@coracle/client';
import { chooseEndpoints, type Topology } from './choose-endpoints.js';
import { type Endpoint, endpointsOf, serviceOfSlice } from './endpoint.js';
import type { HealthCheckPorts, ServiceHealth } from './packet-filter.js';
import { proxyMetrics } from './proxy-metrics.js';
import { serviceHealth } from './service-health.js';
import { servicePorts } from './service-port.js';

/** A port of the node that is carried to endpoints by this process. */
export interface ForwardedPort {
  /** `namespace/name:port`. */
  readonly service: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly endpoints: readonly Pick<Endpoint, 'address' | 'port'>[];
  /** Timeout of session affinity; 0 without affinity. */
  readonly affinitySeconds: number;
}

/** Listens on ports of the node, and forwards connections to endpoints. */
export interface PortForwarder {
  /** Serves these ports and no others. Returns those that it could not listen on, with the reason. */
  serve(ports: readonly ForwardedPort[]): Promise<ReadonlyMap<string, string>>;
}

export interface NodePortProxyOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly forwarder: PortForwarder;
  readonly healthChecks?: HealthCheckPorts;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly activity: Activity;
}

const byService = 'node-port-service';

/** A port that is in use is tried again after this time. */
const retryMs = 30_000;

interface Served {
  readonly ports: readonly ForwardedPort[];
  readonly health: ServiceHealth | undefined;
}

/**
 * Serves the node ports of services without the packet filter, where there is none or it may not be changed. Cluster
 * addresses cannot be served so: they belong to no interface.
 */
export class NodePortProxy implements AsyncDisposable {
  readonly #options: NodePortProxyOptions;
  readonly #handlers: readonly Disposable[];
  readonly #metrics: ReturnType<typeof proxyMetrics>;
  readonly #runner: SyncRunner;
  readonly #dirty = new Set<ObjectKey>();
  /** The served ports of a service. */
  readonly #served = new Map<ObjectKey, Served>();
  /** A listener differs from its desired state, or nothing was ever served. */
  #unserved = true;
  #lastSynced: Millis | undefined;
  #changedSince: Millis | undefined;
  /** Problems that are in the log already, by port. */
  #logged: ReadonlyMap<string, string> = new Map();

  constructor(options: NodePortProxyOptions) {
    this.#options = options;
    const { informers, nodeName } = options;
    this.#metrics = proxyMetrics(options.metrics);
    this.#runner = new SyncRunner({
      ...options,
      sync: () => this.#sync(),
      onError: (error) => this.#failed(error),
      backoff: { initialMs: 1_000, maxMs: 60_000 },
    });
    const slices = informers.for(refs.endpointSlices);
    slices.addIndex(byService, serviceOfSlice);
    this.#handlers = [
      informers.for(refs.services).addHandler(({ object }) => this.#touch(keyOf(object))),
      slices.addHandler((event) => {
        for (const key of serviceOfSlice(event.object)) this.#touch(key);
        if (event.type === 'updated') for (const key of serviceOfSlice(event.previous)) this.#touch(key);
      }),
      informers.for(refs.nodes, { fieldSelector: `metadata.name=${nodeName}` }).addHandler((event) => {
        if (event.type === 'updated' && zoneOf(event.previous) === zoneOf(event.object)) return;
        for (const service of informers.for(refs.services).list()) this.#touch(keyOf(service));
      }),
    ];
  }

  /** Resolves when everything that was there at the start is served. */
  started(): Promise<void> {
    return this.#runner.started();
  }

  /** As of a `ServiceProxy`. */
  get state(): { readonly lastSynced: Millis | undefined; readonly changedSince: Millis | undefined } {
    return { lastSynced: this.#lastSynced, changedSince: this.#changedSince };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
    await this.#runner[Symbol.asyncDispose]();
    await this.#options.forwarder.serve([]);
    await this.#options.healthChecks?.serve([]);
  }

  #touch(key: ObjectKey): void {
    this.#dirty.add(key);
    this.#changedSince ??= this.#options.clock.now();
    this.#runner.wake();
  }

  async #sync(): Promise<Millis | undefined> {
    const { clock } = this.#options;
    const began = clock.now();
    const since = this.#changedSince ?? began;
    const keys = [...this.#dirty];
    this.#dirty.clear();
    for (const key of keys) if (this.#update(key)) this.#unserved = true;
    if (this.#unserved) await this.#serve();
    const now = clock.now();
    this.#changedSince = this.#dirty.size > 0 ? now : undefined;
    this.#lastSynced = now;
    this.#metrics.observe({ seconds: (now - began) / 1000, changes: keys.length, whole: false, at: now / 1000 });
    this.#metrics.programmed((now - since) / 1000);
    // The process that uses the port may release it.
    return this.#unserved ? retryMs : undefined;
  }

  #failed(error: unknown): void {
    this.#changedSince ??= this.#options.clock.now();
    this.#metrics.failures.add(1);
    this.#options.logger.error('failed to serve the node ports of services', { error: messageOf(error) });
  }

  /** Whether anything is different now. */
  #update(key: ObjectKey): boolean {
    const { informers, nodeName } = this.#options;
    const [node] = informers.for(refs.nodes, { fieldSelector: `metadata.name=${nodeName}` }).list();
    const topology = { nodeName, zone: node ? zoneOf(node) : '' };
    const service = informers.for(refs.services).get(key);
    const slices = service ? informers.for(refs.endpointSlices).byIndex(byService, key) : [];
    const ports = service ? forwardedPorts(service, slices, topology) : [];
    const health = service && serviceHealth(service, slices, { topology, families: [4, 6] });
    const before = this.#served.get(key);
    const next = ports.length > 0 || health ? { ports, health } : undefined;
    if (deepEqual(before, next)) return false;
    if (next) this.#served.set(key, next);
    else this.#served.delete(key);
    return true;
  }

  async #serve(): Promise<void> {
    const { forwarder, healthChecks, logger } = this.#options;
    const all = [...this.#served.values()];
    const failed = await forwarder.serve(all.flatMap(({ ports }) => ports));
    for (const [port, error] of failed)
      if (this.#logged.get(port) !== error) logger.error('failed to serve a node port', { port, error });
    this.#logged = failed;
    await healthChecks?.serve(all.flatMap(({ health }) => health ?? []));
    this.#unserved = failed.size > 0;
  }
}

/** The node ports of a service, with where they lead. One without endpoints is not listened on: it refuses then. */
export function forwardedPorts(
  service: Service,
  slices: readonly EndpointSlice[],
  topology: Topology,
): ForwardedPort[] {
  const ports = new Map<string, ForwardedPort>();
  for (const family of [4, 6] as const) {
    for (const one of servicePorts(service, family)) {
      if (one.nodePort === 0 || one.protocol === 'sctp') continue;
      const chosen = chooseEndpoints(endpointsOf(slices, one, family), one, topology);
      const own = (one.externalLocal ? chosen.local : chosen.cluster).map(({ address, port }) => ({ address, port }));
      const key = `${one.protocol}/${one.nodePort}`;
      const endpoints = [...(ports.get(key)?.endpoints ?? []), ...own];
      const { name, protocol, nodePort: port, affinitySeconds } = one;
      if (endpoints.length > 0) ports.set(key, { service: name, protocol, port, endpoints, affinitySeconds });
    }
  }
  return [...ports.values()];
}

function zoneOf({ metadata }: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }): string {
  return metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
}
