import { type ApiRequest, type ApiResponse, acceptsValues, type Channel, type Exchange } from '@coracle/apimachinery';
import { type Clock, disposable } from '@coracle/base';
import { type BoundedAnswer, type BoundedCall, type Bounds, readBounded, readBoundedJson } from './bounded-answer.js';
import { type Destination, serviceHost, urlOf } from './destination.js';
import { addressOfUrl, type DialAddress, DialError, type Dialer, type OutboundRequest } from './dialer.js';
import { resolveService, type ServiceSource } from './resolve-service.js';

/** Serves requests to a service in this process: a function of a test, or another API server. */
export interface InProcessService {
  readonly exchange: Exchange;
  upgrade?(request: ApiRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}

export interface OutboundOptions extends ServiceSource {
  readonly clock: Clock;
  readonly dialer: Dialer;
  /** Reaches pods that run in this process, by their addresses; `undefined` for all others. */
  readonly podDialer?: ((host: string) => Dialer | undefined) | undefined;
}

/**
 * Outgoing requests of the server: to a URL, or to a service by its endpoints. Webhooks, conversion, aggregation and
 * the proxies use it.
 */
export class Outbound {
  readonly #options: OutboundOptions;
  /** By `namespace/name`. */
  readonly #inProcess = new Map<string, InProcessService>();

  constructor(options: OutboundOptions) {
    this.#options = options;
  }

  /** Serves a service from now on, whatever its endpoints are: for services whose pods are simulated. */
  register(service: { readonly namespace: string; readonly name: string }, handler: InProcessService): Disposable {
    const key = keyOf(service);
    this.#inProcess.set(key, handler);
    return disposable(() => {
      if (this.#inProcess.get(key) === handler) this.#inProcess.delete(key);
    });
  }

  /** Whether a handler in this process serves the service. */
  isRegistered(service: { readonly namespace: string; readonly name: string }): boolean {
    return this.#inProcess.has(keyOf(service));
  }

  async request(to: Destination, request: OutboundRequest): Promise<ApiResponse> {
    const own = this.#handlerOf(to);
    if (own) return await own.exchange(arriving(to, request));
    const { dialer, address, base } = this.#route(to);
    return await dialer.request(address, { ...request, path: base + request.path });
  }

  async connect(
    to: Destination,
    request: OutboundRequest,
    protocols: readonly string[],
  ): Promise<Channel | ApiResponse> {
    const own = this.#handlerOf(to);
    if (own) {
      if (!own.upgrade) throw new DialError(`${urlOf(to)}: the backend of this service does not support streams`);
      return await own.upgrade(arriving(to, request), protocols);
    }
    const { dialer, address, base } = this.#route(to);
    return await dialer.connect(address, { ...request, path: base + request.path }, protocols);
  }

  /** Sends a request to an address in the pod network. */
  async dial(address: DialAddress, request: OutboundRequest): Promise<ApiResponse> {
    return await this.#dialerTo(address.host).request(address, request);
  }

  /** The whole response, within a timeout and a size limit. */
  ask(to: Destination, request: OutboundRequest, bounds: Bounds): Promise<BoundedAnswer> {
    return readBounded((signal) => this.request(to, { ...request, signal }), this.#call(request, bounds));
  }

  /** The same for a response in JSON. A service in this process returns the value itself, which is shared. */
  askForJson(
    to: Destination,
    request: OutboundRequest,
    bounds: Bounds,
  ): Promise<{ readonly status: number; readonly value: unknown }> {
    const headers = this.#handlerOf(to) ? { ...request.headers, [acceptsValues]: '1' } : request.headers;
    const send = (signal: AbortSignal) => this.request(to, { ...request, headers, signal });
    return readBoundedJson(send, this.#call(request, bounds));
  }

  #call({ signal }: OutboundRequest, bounds: Bounds): BoundedCall {
    return { ...bounds, clock: this.#options.clock, ...(signal && { signal }) };
  }

  #handlerOf(to: Destination): InProcessService | undefined {
    return to.kind === 'service' ? this.#inProcess.get(keyOf(to)) : undefined;
  }

  #route(to: Destination): { readonly dialer: Dialer; readonly address: DialAddress; readonly base: string } {
    const { tls } = to;
    if (to.kind === 'service') {
      const { host, port } = resolveService(this.#options, to);
      const address = { scheme: to.scheme ?? 'https', host, port, serverName: serviceHost(to), ...(tls && { tls }) };
      return { dialer: this.#dialerTo(host), address, base: '' };
    }
    const url = new URL(to.url);
    const address = { ...addressOfUrl(url), ...(tls && { tls }) };
    return { dialer: this.#dialerTo(address.host), address, base: url.pathname.replace(/\/$/, '') };
  }

  #dialerTo(host: string): Dialer {
    return this.#options.podDialer?.(host) ?? this.#options.dialer;
  }
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Includes the port, unless it is the default of the scheme. */
function hostOf(to: Destination): string {
  if (to.kind === 'url') return new URL(to.url).host;
  const usualPort = to.scheme === 'http' ? 80 : 443;
  return to.port === usualPort ? serviceHost(to) : `${serviceHost(to)}:${to.port}`;
}

/** The response of a handler in this process, in the form of one from a connection. */
function arriving(to: Destination, { headers, ...request }: OutboundRequest): ApiRequest {
  const joined: Record<string, string> = { host: hostOf(to) };
  const rawHeaders: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const values = typeof value === 'string' ? [value] : value;
    joined[name] = values.join(', ');
    for (const one of values) rawHeaders.push(name, one);
  }
  return { ...request, headers: joined, rawHeaders };
}
