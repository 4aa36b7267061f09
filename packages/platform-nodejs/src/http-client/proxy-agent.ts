import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';

const keepAlive = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: 64,
  scheduling: 'lifo',
} as const;

/** Keeps connections to one server, straight or through a proxy. */
export function agentFor(server: URL, tls: AgentOptions, proxy: string | undefined): HttpAgent | HttpsAgent {
  if (server.protocol === 'http:') return new HttpAgent(keepAlive);
  return proxy ? new ProxyAgent({ ...keepAlive, ...tls }, new URL(proxy)) : new HttpsAgent({ ...keepAlive, ...tls });
}

/** Which proxy leads to a server, by what the connection says or else by the environment that all programs share. */
export function proxyFor(server: URL, stated: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  if (stated) return stated;
  const named = (name: string) => environment[name] || environment[name.toLowerCase()];
  const except = (named('NO_PROXY') ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (isLocal(server.hostname) || except.some((entry) => covers(entry, server.hostname))) return undefined;
  return named(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function covers(entry: string, host: string): boolean {
  if (entry === '*') return true;
  const suffix = entry.startsWith('.') ? entry : `.${entry}`;
  return host === entry || host.endsWith(suffix);
}

/** Reaches the server through a tunnel that the proxy opens (`CONNECT`); TLS is with the server, not the proxy. */
class ProxyAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(options: AgentOptions, proxy: URL) {
    super(options);
    if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
      throw new Error(`unsupported scheme ${JSON.stringify(proxy.protocol.slice(0, -1))}, must be http or https`);
    this.#proxy = proxy;
  }

  override createConnection(
    options: ConnectionOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const host = String(options.host);
    const target = `${host}:${options.port ?? 443}`;
    const { username, password } = this.#proxy;
    const authorization =
      username &&
      `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
    const request = this.#proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const tunnel = request(this.#proxy, {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    // Where there is an error nobody looks at the stream, which the types ask for all the same.
    const fail = (error: Error) => done?.(error, undefined as unknown as Duplex);
    tunnel.on('error', fail);
    tunnel.on('connect', (response, socket) => {
      if (response.statusCode === 200)
        done?.(null, tlsConnect({ ...options, socket, servername: options.servername ?? host }));
      else fail(new Error(`the proxy answered ${response.statusCode} to CONNECT ${target}`));
    });
    tunnel.end();
    return undefined;
  }
}
