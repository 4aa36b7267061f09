import { createSecureContext, type SecureContext } from 'node:tls';
import { type Logger, type Metrics, messageOf, type Random, RecentMap } from '@coracle/base';
import { type BackendTarget, type CertificatePair, type IngressEdge, RoutingTable } from '@coracle/ingress';
import type { Endpoint } from '@coracle/proxy';
import { http1Upstreams } from './http1-upstreams.js';
import { http2Upstreams } from './http2-upstreams.js';
import { PortServer } from './port-server.js';

export interface IngressEdgeOptions {
  readonly endpointsOf: (target: BackendTarget) => readonly Endpoint[];
  /** Maps a port of a route to the actual listening port; `undefined` if it is not served. */
  readonly listenPortOf: (port: number) => number | undefined;
  /** The default certificate, for hosts without one. */
  readonly defaultCertificate: () => Promise<CertificatePair>;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Timeout of requests in flight when the process ends. */
const lastDrainMs = 3_000;

/** The HTTP router on sockets of this machine. */
export class NodeIngressEdge implements IngressEdge, AsyncDisposable {
  readonly #options: IngressEdgeOptions;
  readonly #servers = new Map<number, { readonly server: PortServer; readonly tls: boolean }>();
  readonly #http1 = http1Upstreams();
  readonly #http2 = http2Upstreams();
  readonly #contexts = new RecentMap<string, SecureContext>(1_000);
  readonly #closing = new Set<Promise<void>>();
  readonly #answered: (status: number) => void;
  /** Problems that have been logged. */
  readonly #logged = new Set<string>();
  #table = new RoutingTable([]);
  #default: CertificatePair | undefined;

  constructor(options: IngressEdgeOptions) {
    this.#options = options;
    const requests = options.metrics.counter({
      name: 'coracle_ingress_requests_total',
      help: 'Requests that the router has answered, by status code.',
      labels: ['code'],
    });
    this.#answered = (status) => requests.add(1, { code: String(status) });
  }

  async serve(table: RoutingTable): Promise<ReadonlyMap<number, string>> {
    if (table.ports.some(({ tls }) => tls)) this.#default ??= await this.#options.defaultCertificate();
    this.#table = table;
    const listeners = new Map(table.ports.map(({ port, tls }) => [port, tls]));
    for (const [port, { server, tls }] of this.#servers) {
      if (listeners.get(port) === tls) continue;
      this.#servers.delete(port);
      this.#close(server);
    }
    const failed = new Map<number, string>();
    for (const [port, tls] of listeners) {
      const problem = this.#servers.has(port) ? undefined : await this.#open(port, tls);
      if (problem !== undefined) failed.set(port, problem);
      this.#showDefault(port);
    }
    return failed;
  }

  /** The listening address of a port of a route; `undefined` if it is not served. */
  listenPort(port: number): number | undefined {
    return this.#servers.get(port)?.server.listenPort;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.#servers.values()) this.#close(server, lastDrainMs);
    this.#servers.clear();
    await Promise.all(this.#closing);
    this.#http1[Symbol.dispose]();
    this.#http2[Symbol.dispose]();
  }

  #close(server: PortServer, drainMs?: number): void {
    const closed = server.close(drainMs).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  async #open(port: number, tls: boolean): Promise<string | undefined> {
    const { listenPortOf, endpointsOf, random, logger } = this.#options;
    const listenPort = listenPortOf(port);
    if (listenPort === undefined) return `port ${port} is not served on this node`;
    const server = new PortServer({
      port,
      listenPort,
      endpointsOf,
      random,
      logger,
      send: { http: this.#http1.send, h2c: this.#http2.send },
      table: () => this.#table,
      onAnswered: this.#answered,
      ...(tls && { contextFor: (name: string) => this.#contextFor(port, name) }),
    });
    try {
      await server.listen();
    } catch (error) {
      const problem = `port ${listenPort} cannot be listened on: ${messageOf(error)}`;
      this.#tellOnce(problem);
      return problem;
    }
    this.#servers.set(port, { server, tls });
    return undefined;
  }

  #showDefault(port: number): void {
    const { server, tls } = this.#servers.get(port) ?? {};
    if (!server || !tls) return;
    const usable = [...this.#table.certificatesFor(port, ''), ...(this.#default ? [this.#default] : [])];
    const pair = usable.find((one) => this.#context(one) !== undefined);
    if (pair) server.setDefaultCertificate(pair);
  }

  #contextFor(port: number, serverName: string): SecureContext {
    const pairs = [...this.#table.certificatesFor(port, serverName), ...(this.#default ? [this.#default] : [])];
    for (const pair of pairs) {
      const context = this.#context(pair);
      if (context) return context;
    }
    return createSecureContext();
  }

  /** `undefined` for an invalid certificate, which is logged once. */
  #context({ certificate, key }: CertificatePair): SecureContext | undefined {
    const id = `${certificate}\n${key}`;
    const entry = this.#contexts.get(id);
    if (entry) return entry;
    try {
      const context = createSecureContext({ cert: certificate, key });
      this.#contexts.set(id, context);
      return context;
    } catch (error) {
      this.#tellOnce(`a certificate of the router cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  #tellOnce(problem: string): void {
    if (this.#logged.has(problem)) return;
    this.#logged.add(problem);
    this.#options.logger.error('failed to serve an ingress listener', { problem });
  }
}
