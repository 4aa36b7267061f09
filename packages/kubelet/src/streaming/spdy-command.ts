import { type Channel, SpdyConnection, type SpdyStream, spdyPrefix } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import { CommandSession, encodeMessage, encodeStatus, type RunCommand } from './command-session.js';
import type { Wanted } from './web-socket-command.js';

/** Versions of the remote command protocol over SPDY, with the features that each added. */
const dialects = {
  /** The exit status is sent as a Status. */
  'v4.channel.k8s.io': { encodeEnd: encodeStatus, resizes: true },
  /** The terminal can be resized. */
  'v3.channel.k8s.io': { encodeEnd: encodeMessage, resizes: true },
  'v2.channel.k8s.io': { encodeEnd: encodeMessage, resizes: false },
  'channel.k8s.io': { encodeEnd: encodeMessage, resizes: false },
} as const;

export const spdyCommandProtocols: readonly string[] = Object.keys(dialects);

/** Timeout for the client to open its streams. */
export const streamCreationMs: Millis = 30_000;
/** Time for the client to read the remaining output before the connection is closed. */
const lingerMs: Millis = 5_000;

export interface SpdyCommandOptions {
  readonly requestedStreams: Wanted;
  readonly clock: Clock;
  readonly run: RunCommand;
}

/** Serves a command to a SPDY client over a channel, with one SPDY stream for each of its streams. */
export function serveSpdyCommand(channel: Channel, { requestedStreams, clock, run }: SpdyCommandOptions): void {
  const dialect = dialects[channel.protocol.slice(spdyPrefix.length) as keyof typeof dialects];
  const expected = expectedStreams(requestedStreams, dialect.resizes);
  const streams = new Map<string, SpdyStream>();
  let session: CommandSession | undefined;
  let linger: Disposable | undefined;
  const late = clock.schedule(streamCreationMs, () => connection[Symbol.dispose]());
  const connection = new SpdyConnection(channel, {
    role: 'server',
    accepts: ({ streamtype = '' }) => expected.includes(streamtype) && !streams.has(streamtype),
    onStream: (stream) => {
      streams.set(stream.headers['streamtype'] ?? '', stream);
      if (streams.size < expected.length) return;
      late[Symbol.dispose]();
      session = beginSession(streams, (status) => {
        streams.get('error')?.write(dialect.encodeEnd(status));
        for (const one of streams.values()) one.end();
        connection.goAway();
        linger = clock.schedule(lingerMs, () => connection[Symbol.dispose]());
      });
      void session.run(run);
    },
    onClose: () => {
      late[Symbol.dispose]();
      linger?.[Symbol.dispose]();
      session?.gone();
    },
  });
}

function expectedStreams({ stdin, stdout, stderr, tty }: Wanted, resizes: boolean): string[] {
  return [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr ? ['stderr'] : []),
    ...(tty && resizes ? ['resize'] : []),
  ];
}

function beginSession(
  streams: ReadonlyMap<string, SpdyStream>,
  finish: ConstructorParameters<typeof CommandSession>[0]['finish'],
): CommandSession {
  const session = new CommandSession({
    stdout: (chunk) => streams.get('stdout')?.write(chunk),
    stderr: (chunk) => streams.get('stderr')?.write(chunk),
    finish,
  });
  const decoder = new TextDecoder();
  const endInput = () => session.endInput();
  const stdin = streams.get('stdin');
  if (stdin) stdin.listen({ data: (chunk) => session.input(chunk), end: endInput, reset: endInput });
  else session.endInput();
  const resize = streams.get('resize');
  resize?.listen({ data: (chunk) => session.resize(decoder.decode(chunk)), end() {}, reset() {} });
  // Data that clients send on the other streams is ignored and must not be buffered.
  for (const name of ['error', 'stdout', 'stderr']) streams.get(name)?.listen({ data() {}, end() {}, reset() {} });
  return session;
}
