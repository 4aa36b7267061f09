import {
  type Channel,
  commandChannels,
  commandOverSpdy,
  frame,
  type Status,
  StatusError,
  spdyCommandProtocols,
  unframe,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Client } from '../client.js';
import { queryString } from '../rest/query-string.js';
import { objectPath } from '../rest/resource-path.js';
import { openChannel } from './open-channel.js';

/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams of a command. Absent ones are not requested. */
export interface CommandStreams {
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly stdout?: (chunk: Uint8Array) => void;
  readonly stderr?: (chunk: Uint8Array) => void;
  /** With a terminal, standard error comes with standard output. */
  readonly tty?: boolean;
  /** The size of the terminal, each time that it changes. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

/** The command, its container and its streams. */
export interface RemoteCommandOptions extends CommandStreams {
  readonly namespace: string;
  readonly pod: string;
  /** The container; not needed if the pod has only one. */
  readonly container?: string;
  readonly signal?: AbortSignal;
}

/** The result of a command. */
export interface CommandResult {
  readonly exitCode: number;
}

/** Runs a command in a container. Resolves when it has ended, however it ended; fails if it could not be run. */
export function exec(
  client: Client,
  options: RemoteCommandOptions & { readonly command: readonly string[] },
): Promise<CommandResult> {
  return run(client, 'exec', options);
}

/** Attaches to the main process of a container. */
export function attach(client: Client, options: RemoteCommandOptions): Promise<CommandResult> {
  return run(client, 'attach', options);
}

/** Newest first. Only v5 can signal the end of standard input. */
const commandProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };

async function run(
  client: Client,
  subresource: 'exec' | 'attach',
  options: RemoteCommandOptions & { readonly command?: readonly string[] },
): Promise<CommandResult> {
  const { command = [], namespace, pod: name, container, stdin, stdout, stderr, tty = false, signal } = options;
  const flags = queryString({ container, stdin: !!stdin, stdout: !!stdout, stderr: !!stderr && !tty, tty });
  const query = [...command.map((word) => `command=${encodeURIComponent(word)}`), flags].filter(Boolean).join('&');
  const path = objectPath(pods, { namespace, name, subresource });
  const request = { path, query, ...(signal && { signal }) };
  const { channel, overSpdy } = await openChannel(client, request, {
    webSocket: commandProtocols,
    spdy: spdyCommandProtocols,
  });
  const streams = { stdin: !!stdin, stdout: !!stdout, stderr: !!stderr && !tty, tty };
  return converse(overSpdy ? commandOverSpdy(channel, streams) : channel, options);
}

function converse(
  channel: Channel,
  { stdin, stdout, stderr, sizes, signal }: RemoteCommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    let outcome: Status | undefined;
    let open = true;
    const send = (id: number, payload: Uint8Array) => {
      if (open) channel.send(frame(id, payload));
    };
    channel.onMessage((message) => {
      const framed = unframe(message);
      if (!framed) return;
      if (framed.channel === commandChannels.stdout) stdout?.(framed.payload);
      else if (framed.channel === commandChannels.stderr) stderr?.(framed.payload);
      else if (framed.channel === commandChannels.error) outcome = parseOutcome(framed.payload) ?? outcome;
    });
    channel.onClose((code, reason) => {
      open = false;
      if (signal?.aborted) reject(signal.reason);
      else
        settle(outcome, { resolve, reject, cut: `the connection closed (${code} ${reason}) before the command ended` });
    });
    const fail = (error: unknown) => {
      reject(error);
      channel[Symbol.dispose]();
    };
    if (stdin) pump(stdin, (chunk) => send(commandChannels.stdin, chunk)).then(() => endInput(channel, send), fail);
    if (sizes) {
      const report = (size: TerminalSize) => send(commandChannels.resize, encodeSize(size));
      pump(sizes, report).catch(fail);
    }
  });
}

/** Protocols before v5 cannot signal it; the command then waits for more input. */
function endInput(channel: Channel, send: (id: number, payload: Uint8Array) => void): void {
  if (channel.protocol === 'v5.channel.k8s.io') send(commandChannels.close, Uint8Array.of(commandChannels.stdin));
}

async function pump<T>(source: AsyncIterable<T>, send: (item: T) => void): Promise<void> {
  for await (const item of source) send(item);
}

function encodeSize({ width, height }: TerminalSize): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ Width: width, Height: height }));
}

/** Runtimes leave out default values, the kind too. */
const noStatus: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 };

function parseOutcome(payload: Uint8Array): Status | undefined {
  const text = new TextDecoder().decode(payload);
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && typeof value['status'] === 'string') return { ...noStatus, ...value };
  } catch {
    // An old server sends plain text.
  }
  return { ...noStatus, message: text };
}

function settle(
  outcome: Status | undefined,
  { resolve, reject, cut }: { resolve: (result: CommandResult) => void; reject: (error: unknown) => void; cut: string },
): void {
  if (!outcome) reject(new Error(cut));
  else if (outcome.status === 'Success') resolve({ exitCode: 0 });
  else if (outcome.reason === 'NonZeroExitCode') resolve({ exitCode: exitCodeOf(outcome) });
  else reject(new StatusError(outcome));
}

function exitCodeOf({ details }: Status): number {
  const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode');
  return Number(cause?.message ?? 1);
}
