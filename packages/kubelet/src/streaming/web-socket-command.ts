import { type Channel, commandChannels, frame, unframe } from '@coracle/apimachinery';
import { CommandSession, type CommandWire, encodeMessage, encodeStatus, type RunCommand } from './command-session.js';

interface Dialect {
  readonly encodeEnd: typeof encodeStatus;
  /** Messages are text: a digit for the channel, then base64. */
  readonly base64?: true;
}

/** Versions of the remote command protocol over WebSocket. Only v5 can signal the end of standard input. */
const dialects: Readonly<Record<string, Dialect>> = {
  'v5.channel.k8s.io': { encodeEnd: encodeStatus },
  'v4.channel.k8s.io': { encodeEnd: encodeStatus },
  'v4.base64.channel.k8s.io': { encodeEnd: encodeStatus, base64: true },
  'channel.k8s.io': { encodeEnd: encodeMessage },
  'base64.channel.k8s.io': { encodeEnd: encodeMessage, base64: true },
  '': { encodeEnd: encodeMessage },
};

export const webSocketCommandProtocols: readonly string[] = Object.keys(dialects);

/** Serves a command to a client over a channel. */
export function serveWebSocketCommand(channel: Channel, streams: Wanted, run: RunCommand): void {
  const { encodeEnd, base64 } = dialects[channel.protocol] as Dialect;
  const send = (id: number, payload: Uint8Array) =>
    channel.send(base64 ? encodeBase64(id, payload) : frame(id, payload));
  const wire: CommandWire = {
    stdout: (chunk) => streams.stdout && send(commandChannels.stdout, chunk),
    stderr: (chunk) => streams.stderr && send(commandChannels.stderr, chunk),
    finish: (status) => {
      send(commandChannels.error, encodeEnd(status));
      channel[Symbol.dispose]();
    },
  };
  const session = new CommandSession(wire);
  if (!streams.stdin) session.endInput();
  // An empty message confirms the connection.
  send(
    streams.stdout ? commandChannels.stdout : streams.stderr ? commandChannels.stderr : commandChannels.error,
    nothing,
  );
  channel.onMessage((message) => {
    const framed = base64 ? decodeBase64(message) : unframe(message);
    if (framed) hear(session, framed.channel, framed.payload);
  });
  channel.onClose(() => session.gone());
  void session.run(run);
}

/** Which streams the client has requested. */
export interface Wanted {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
}

const nothing = new Uint8Array();

function hear(session: CommandSession, channel: number, payload: Uint8Array): void {
  if (channel === commandChannels.stdin) session.input(payload);
  else if (channel === commandChannels.resize) session.resize(new TextDecoder().decode(payload));
  else if (channel === commandChannels.close && payload[0] === commandChannels.stdin) session.endInput();
}

export function encodeBase64(channel: number, payload: Uint8Array): Uint8Array {
  const binary = Array.from(payload, (byte) => String.fromCharCode(byte)).join('');
  return new TextEncoder().encode(`${channel}${btoa(binary)}`);
}

export function decodeBase64(message: Uint8Array): ReturnType<typeof unframe> {
  const text = new TextDecoder().decode(message);
  try {
    const payload = Uint8Array.from(atob(text.slice(1)), (char) => char.charCodeAt(0));
    return /^\d/.test(text) ? { channel: Number(text[0]), payload } : undefined;
  } catch {
    return undefined;
  }
}
