import { isTerminalPhase } from '@coracle/api';
import {
  attach as attachToContainer,
  type CommandStreams,
  copyFromPod,
  copyToPod,
  exec as execInContainer,
  type ForwardedConnection,
  portForward,
  type TarEntry,
} from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { parsePair, translated } from '../commands/port-forward.js';
import { chooseContainer, findPod } from '../remote/find-pod.js';
import { remoteFailure } from '../remote/run-remote.js';
import { type Fields, textAt } from '../values.js';
import { contextOf } from './command-context.js';
import type { Session } from './session.js';

export interface ContainerTarget {
  readonly namespace?: string;
  /** The container that the pod means by default, unless this names another. */
  readonly container?: string;
  readonly signal?: AbortSignal;
}

/** Streams of a container. Output without a listener is collected. */
export type StreamOptions = ContainerTarget & CommandStreams;

export interface StreamResult {
  readonly exitCode: number;
  /** Empty where the options have a listener. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a container of a pod, or of a pod of `deploy/web`. Its exit code is a result, not a failure. */
export async function exec(
  session: Session,
  target: string,
  command: readonly string[],
  options: StreamOptions = {},
): Promise<StreamResult> {
  if (command.length === 0) throw new CommandError('you must specify at least one command for the container');
  const { object, place } = await containerOf(session, target, options);
  refuseCompleted(object, 'exec into');
  const client = await session.context.factory.client();
  return collected(options, (streams) => execInContainer(client, { ...place, ...streams, command }));
}

/** Receives the output of a container, and writes to it if there is a `stdin`, until it ends or the signal aborts. */
export async function attach(session: Session, target: string, options: StreamOptions = {}): Promise<StreamResult> {
  const { object, place } = await containerOf(session, target, options);
  refuseCompleted(object, 'attach');
  const client = await session.context.factory.client();
  return collected(options, (streams) => attachToContainer(client, { ...place, ...streams }));
}

/** Writes files and folders into a folder of a container, which needs `tar`. */
export async function copyTo(
  session: Session,
  target: string,
  { path, entries, ...options }: ContainerTarget & { readonly path: string; readonly entries: Iterable<TarEntry> },
): Promise<void> {
  const { place } = await containerOf(session, target, options);
  await copyToPod(await session.context.factory.client(), { ...place, path, entries });
}

/** A file or directory of a container, entry by entry. `extract` writes them, never outside of the target. */
export async function* copyFrom(
  session: Session,
  target: string,
  { path, ...options }: ContainerTarget & { readonly path: string },
): AsyncGenerator<TarEntry> {
  const { place } = await containerOf(session, target, options);
  yield* copyFromPod(await session.context.factory.client(), { ...place, path });
}

export interface ForwardOptions {
  readonly namespace?: string;
  readonly onData: (chunk: Uint8Array) => void;
  /** Called once: without an error when the pod closed the connection in good order. */
  readonly onEnd: (error?: Error) => void;
  readonly signal?: AbortSignal;
}

/** Opens one connection to a port of a pod, by number or by name; of a service, to the port behind it. */
export async function forwardPort(
  session: Session,
  target: string,
  port: number | string,
  { namespace, ...options }: ForwardOptions,
): Promise<ForwardedConnection> {
  const context = await contextOf(session.in(namespace), { command: 'port-forward' });
  const { pod, object } = await findPod(context, { word: target, action: 'attach to' });
  const phase = textAt(pod, 'status', 'phase');
  if (phase !== 'Running')
    throw new CommandError(`unable to forward port because pod is not running. Current status=${phase}`);
  const { remote } = parsePair(translated(`:${port}`, { pod, object }));
  return portForward(await session.context.factory.client(), {
    ...options,
    namespace: textAt(pod, 'metadata', 'namespace'),
    pod: textAt(pod, 'metadata', 'name'),
    port: remote,
  });
}

/** Where a container is, with the pod as in the server. */
interface ContainerPlace {
  readonly object: Fields;
  readonly place: {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly signal?: AbortSignal;
  };
}

async function containerOf(
  session: Session,
  target: string,
  { namespace, container, signal }: ContainerTarget,
): Promise<ContainerPlace> {
  const context = await contextOf(session.in(namespace), { command: 'exec', flags: { container } });
  const { pod: object } = await findPod(context, { word: target, action: 'attach to' });
  const place = {
    namespace: textAt(object, 'metadata', 'namespace'),
    pod: textAt(object, 'metadata', 'name'),
    container: chooseContainer(context, object, true),
    ...(signal && { signal }),
  };
  return { object, place };
}

function refuseCompleted(pod: Fields, action: string): void {
  const phase = textAt(pod, 'status', 'phase');
  if (isTerminalPhase(phase))
    throw new CommandError(`cannot ${action} a container in a completed pod; current phase is ${phase}`);
}

/** Runs with streams that collect output without a listener. */
async function collected(
  options: CommandStreams,
  run: (streams: CommandStreams) => Promise<{ readonly exitCode: number }>,
): Promise<StreamResult> {
  const { stdin, tty, sizes } = options;
  const [stdout, stderr] = [new CollectedText(), new CollectedText()];
  try {
    const { exitCode } = await run({
      ...(stdin && { stdin }),
      ...(tty !== undefined && { tty }),
      ...(sizes && { sizes }),
      stdout: options.stdout ?? stdout.add,
      stderr: options.stderr ?? stderr.add,
    });
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
  } catch (error) {
    throw remoteFailure(error);
  }
}

class CollectedText {
  readonly #decoder = new TextDecoder();
  text = '';

  readonly add = (chunk: Uint8Array): void => {
    this.text += this.#decoder.decode(chunk, { stream: true });
  };
}
