import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import { socks5Connect, type Target } from './socks5.js';

const keepAlive = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: 64,
  scheduling: 'lifo',
} as const;

/** Keeps connections to one server, directly or through a proxy. */
export function agentFor(server: URL, tls: AgentOptions, proxyUrl: string | undefined): HttpAgent | HttpsAgent {
  const isSecure = server.protocol === 'https:';
  if (!proxyUrl) return isSecure ? new HttpsAgent({ ...keepAlive, ...tls }) : new HttpAgent(keepAlive);
  const proxy = new URL(proxyUrl);
  return isSecure ? new SecureProxyAgent({ ...keepAlive, ...tls }, proxy) : new PlainProxyAgent(keepAlive, proxy);
}

type Done = (error: Error | null, socket: Duplex) => void;

/** Reaches the server through a tunnel; TLS is with the server, not the proxy. */
class SecureProxyAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(options: AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ConnectionOptions, done?: Done): undefined {
    const host = String(options.host);
    const secured = (socket: Duplex) => tlsConnect({ ...options, socket, servername: options.servername ?? host });
    give(tunnel(this.#proxy, { host, port: Number(options.port ?? 443) }).then(secured), done);
  }
}

class PlainProxyAgent extends HttpAgent {
  readonly #proxy: URL;

  constructor(options: AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ConnectionOptions, done?: Done): undefined {
    give(tunnel(this.#proxy, { host: String(options.host), port: Number(options.port ?? 80) }), done);
  }
}

function give(opening: Promise<Duplex>, done: Done | undefined): undefined {
  opening.then(
    (socket) => done?.(null, socket),
    // The type requires a socket, which does not exist after an error.
    (error: Error) => done && Reflect.apply(done, undefined, [error]),
  );
}

/** A connection to `target` through the proxy. */
function tunnel(proxy: URL, target: Target): Promise<Duplex> {
  return proxy.protocol.startsWith('socks5') ? socks5Connect(proxy, target) : httpTunnel(proxy, target);
}

/** The tunnel is opened with `CONNECT`. */
function httpTunnel(proxy: URL, { host, port }: Target): Promise<Duplex> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = { host: target, ...(username && { 'proxy-authorization': `Basic ${secret}` }) };
  const begin = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = begin(proxy, { method: 'CONNECT', path: target, headers });
    request.on('error', reject);
    request.on('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy answered ${response.statusCode} to CONNECT ${target}`));
    });
    request.end();
  });
}
