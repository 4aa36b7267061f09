import { concatBytes } from '@coracle/base';
import { type Channel, normalClosure } from '../channel.js';
import { commandChannels, frame, spdyPrefix, unframe } from '../command-channels.js';
import type { ApiResponse } from '../exchange.js';
import { SpdyConnection } from './spdy-connection.js';
import type { SpdyStream } from './spdy-stream.js';

/**
 * Newest first. Before the fourth, the exit status is sent as text; before the third, terminals keep their size.
 */
export const spdyCommandProtocols: readonly string[] = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** Which streams a command is opened with. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/**
 * A command over SPDY, seen as the fifth version of the protocol over WebSocket: each stream is one of its channels.
 */
export function commandOverSpdy(bytes: Channel, streams: CommandStreams): Channel {
  return new SpdyCommand(bytes, streams);
}

/** The protocol version that not all servers support over WebSocket. */
const newestProtocol = 'v5.channel.k8s.io';

/** Opens a channel in one of these protocols; returns the response if the upgrade is rejected. */
type OpenChannel = (protocols: readonly string[]) => Promise<Channel | ApiResponse>;

/**
 * Opens a command in the fifth version of the protocol by requesting it over SPDY, which every server supports. Other
 * protocols are passed on as they are.
 */
export async function openCommand(
  open: OpenChannel,
  protocols: readonly string[],
  streams: CommandStreams,
): Promise<Channel | ApiResponse> {
  if (!protocols.includes(newestProtocol)) return open(protocols);
  const opened = await open(spdyCommandProtocols.map((name) => spdyPrefix + name));
  return 'status' in opened ? opened : commandOverSpdy(opened, streams);
}

class SpdyCommand implements Channel {
  readonly protocol = 'v5.channel.k8s.io';
  readonly #connection: SpdyConnection;
  readonly #tellsStatus: boolean;
  readonly #inputs = new Map<number, SpdyStream>();
  /** Those that the other side has not ended. */
  readonly #outputs = new Set<number>();
  readonly #outcome: Uint8Array[] = [];
  /** Starts reading the streams, once this channel has a listener: until then they buffer. */
  readonly #listening: (() => void)[] = [];
  #onMessage: (message: Uint8Array) => void = () => {};
  #onClose: (code: number, reason: string) => void = () => {};
  #closed: readonly [code: number, reason: string] | undefined;
  #begun = false;
  /** A stream was over before its time. */
  #cut = false;

  constructor(bytes: Channel, streams: CommandStreams) {
    const version = bytes.protocol.slice(spdyPrefix.length);
    this.#tellsStatus = version === 'v4.channel.k8s.io';
    this.#connection = new SpdyConnection(bytes, {
      role: 'client',
      onClose: (error) => this.#close(error ? 1006 : normalClosure, error?.message ?? ''),
    });
    const open = (streamType: string, fin = false) => this.#connection.open({ streamtype: streamType }, { fin });
    this.#hear(commandChannels.error, open('error'));
    if (streams.stdin) this.#inputs.set(commandChannels.stdin, open('stdin'));
    if (streams.stdout) this.#hear(commandChannels.stdout, open('stdout'));
    if (streams.stderr) this.#hear(commandChannels.stderr, open('stderr'));
    if (streams.tty && ['v4.channel.k8s.io', 'v3.channel.k8s.io'].includes(version))
      this.#inputs.set(commandChannels.resize, open('resize'));
  }

  send(message: Uint8Array): void {
    const framed = unframe(message);
    if (framed?.channel === commandChannels.close) this.#inputs.get(framed.payload[0] ?? -1)?.end();
    else if (framed) this.#inputs.get(framed.channel)?.write(framed.payload);
  }

  onMessage(listener: (message: Uint8Array) => void): void {
    this.#onMessage = listener;
    if (this.#begun) return;
    this.#begun = true;
    for (const begin of this.#listening.splice(0)) begin();
  }

  onClose(listener: (code: number, reason: string) => void): void {
    if (this.#closed) listener(...this.#closed);
    else this.#onClose = listener;
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #hear(channel: number, stream: SpdyStream): void {
    this.#outputs.add(channel);
    const isError = channel === commandChannels.error;
    const ended = () => this.#ended(channel);
    const reset = () => {
      this.#cut = true;
      this.#ended(channel);
    };
    const data = (chunk: Uint8Array) =>
      isError ? void this.#outcome.push(chunk.slice()) : this.#onMessage(frame(channel, chunk));
    this.#listening.push(() => stream.listen({ data, end: ended, reset }));
  }

  /** The exit status is delivered in one piece, after all output. */
  #ended(channel: number): void {
    this.#outputs.delete(channel);
    if (this.#outputs.size > 0) return;
    const outcome = concatBytes(this.#outcome);
    if (outcome.length > 0) this.#onMessage(frame(commandChannels.error, outcome));
    // Old servers send no status on success.
    else if (!this.#tellsStatus && !this.#cut) this.#onMessage(frame(commandChannels.error, success));
    this.#connection[Symbol.dispose]();
  }

  #close(code: number, reason: string): void {
    this.#closed ??= [code, reason];
    this.#onClose(code, reason);
  }
}

const success = new TextEncoder().encode('{"status":"Success"}');
