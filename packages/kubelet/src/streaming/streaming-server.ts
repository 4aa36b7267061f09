import { type ApiResponse, type Channel, channelPair, spdyPrefix } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow, type Random, randomSuffix } from '@coracle/base';
import {
  type AttachRequest,
  type AttachResponse,
  CriError,
  type ExecRequest,
  type ExecResponse,
  type PortForwardRequest,
  type PortForwardResponse,
} from '@coracle/cri';
import type { RunCommand } from './command-session.js';
import { refused, textResponse } from './refusal.js';
import { serveSpdyCommand, spdyCommandProtocols } from './spdy-command.js';
import { serveSpdyPorts, spdyPortProtocols } from './spdy-port-forward.js';
import type { PortSink, StreamingRuntime } from './streaming-runtime.js';
import { serveWebSocketCommand, type Wanted, webSocketCommandProtocols } from './web-socket-command.js';
import { type ConnectPort, serveWebSocketPorts, webSocketPortProtocols } from './web-socket-port-forward.js';

export interface StreamingServerOptions {
  readonly runtime: StreamingRuntime;
  readonly clock: Clock;
  readonly random: Random;
  /** Prefix of the returned URLs. */
  readonly baseUrl: string;
}

/** Serves a channel that was opened for one request. */
type Serve = (channel: Channel) => void;

interface Expected {
  readonly expiresAt: Millis;
  /** Over WebSocket, by protocol. */
  readonly webSocket: { readonly protocols: readonly string[]; readonly serve: Serve };
  readonly spdy: { readonly protocols: readonly string[]; readonly serve: Serve };
}

/** A URL is valid for one connection, within this time. */
const expiryMs: Millis = 60_000;
const mostExpected = 1_000;
const tokenLength = 16;

/**
 * A CRI streaming server: a request is answered with a URL, and a client that connects to it gets the streams, over
 * WebSocket or SPDY.
 */
export class StreamingServer {
  readonly #options: StreamingServerOptions;
  /** By token, oldest first. */
  readonly #expected = new Map<string, Expected>();

  constructor(options: StreamingServerOptions) {
    this.#options = options;
  }

  exec(request: ExecRequest): ExecResponse {
    checkCommand(request);
    return { url: this.#expectCommand('exec', request, (streams) => this.#options.runtime.exec(request, streams)) };
  }

  attach(request: AttachRequest): AttachResponse {
    checkCommand(request);
    const run: RunCommand = (streams) => this.#options.runtime.attach(request, streams).then(() => 0);
    return { url: this.#expectCommand('attach', request, run) };
  }

  portForward({ podSandboxId = '', port = [] }: PortForwardRequest): PortForwardResponse {
    if (podSandboxId === '') throw new CriError('InvalidArgument', 'missing required pod_sandbox_id');
    const { clock, runtime } = this.#options;
    const connect = explained(podSandboxId, (target, toClient) => runtime.connectPort(target, toClient));
    const url = this.#expect('portforward', {
      webSocket: {
        protocols: webSocketPortProtocols,
        serve: (channel) => serveWebSocketPorts(channel, port, connect),
      },
      spdy: { protocols: spdyPortProtocols, serve: (channel) => serveSpdyPorts(channel, { clock, connect }) },
    });
    return { url };
  }

  /** Connects to a returned URL. Protocols that begin with `SPDY/3.1+` request SPDY's streams. */
  async connect(url: string, offered: readonly string[]): Promise<Channel | ApiResponse> {
    const token = url.slice(url.lastIndexOf('/') + 1);
    const expected = this.#expected.get(token);
    this.#expected.delete(token);
    if (!expected || expected.expiresAt < monotonicNow(this.#options.clock))
      return textResponse(404, '404 page not found\n');
    const overSpdy = offered.some((name) => name.startsWith(spdyPrefix));
    const { protocols, serve } = overSpdy ? expected.spdy : expected.webSocket;
    const supported = overSpdy ? protocols.map((name) => spdyPrefix + name) : protocols;
    const protocol = (offered.length > 0 ? offered : ['']).find((name) => supported.includes(name));
    if (protocol === undefined) return refused(offered, protocols);
    const [ours, theirs] = channelPair(protocol);
    serve(ours);
    return theirs;
  }

  #expectCommand(kind: string, requestedStreams: Wanted, run: RunCommand): string {
    const { clock } = this.#options;
    return this.#expect(kind, {
      webSocket: {
        protocols: webSocketCommandProtocols,
        serve: (channel) => serveWebSocketCommand(channel, requestedStreams, run),
      },
      spdy: {
        protocols: spdyCommandProtocols,
        serve: (channel) => serveSpdyCommand(channel, { requestedStreams, clock, run }),
      },
    });
  }

  #expect(kind: string, ways: Omit<Expected, 'expiresAt'>): string {
    const { clock, random, baseUrl } = this.#options;
    const now = monotonicNow(clock);
    for (const [token, { expiresAt }] of this.#expected) {
      if (expiresAt >= now) break;
      this.#expected.delete(token);
    }
    if (this.#expected.size >= mostExpected)
      throw new CriError('Unavailable', 'maximum number of in-flight requests exceeded');
    const token = randomSuffix(random, tokenLength);
    this.#expected.set(token, { ...ways, expiresAt: now + expiryMs });
    return `${baseUrl}/${kind}/${token}`;
  }
}

function checkCommand({ containerId = '', stdin, stdout, stderr, tty }: ExecRequest): void {
  if (containerId === '') throw new CriError('InvalidArgument', 'missing required container_id');
  if (tty && stderr) throw new CriError('InvalidArgument', 'tty and stderr cannot both be true');
  if (!stdin && !stdout && !stderr)
    throw new CriError('InvalidArgument', 'one of stdin, stdout, or stderr must be set');
}

/** Adds the port and the pod to the errors of a connection. */
function explained(podSandboxId: string, connect: StreamingRuntime['connectPort']): ConnectPort {
  return async (port, toClient) => {
    const explain = ({ message }: Error) =>
      new Error(`error forwarding port ${port} to pod ${podSandboxId}, uid : ${message}`);
    const sink: PortSink = {
      data: (chunk) => toClient.data(chunk),
      end: (error) => toClient.end(error && explain(error)),
    };
    return connect({ podSandboxId, port }, sink).catch((error: Error) => Promise.reject(explain(error)));
  };
}
