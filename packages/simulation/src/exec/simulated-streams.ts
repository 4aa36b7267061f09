import type { Pod } from '@coracle/api';
import type { Clock, Random } from '@coracle/base';
import { type AttachRequest, CriError, type ExecRequest, type ExecSyncResponse } from '@coracle/cri';
import {
  type CommandStreams,
  fullNameOf,
  hostnameOf,
  nodeHostsFile,
  type PortSink,
  podHostsFile,
  type StreamingRuntime,
} from '@coracle/kubelet';
import { ContainerLog, type LogLine } from '../container-log.js';
import { ContainerFiles } from '../files/container-files.js';
import type { SimulatedDisk } from '../files/simulated-disk.js';
import type { SimulatedContainer } from '../simulated-container.js';
import type { SimulatedSandbox } from '../simulated-sandbox.js';
import { findCommand } from './commands.js';
import { execSync } from './exec-sync.js';
import { isFetching } from './fetch-command.js';
import { MainProcess, type OutputReader, simulatedCommand } from './main-process.js';
import { answerPort, listens } from './simulated-port.js';
import type { Around } from './simulated-process.js';
import { throughTerminal } from './terminal.js';

export interface SimulatedStreamsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly containerOf: (id: string) => SimulatedContainer;
  readonly sandboxOf: (id: string) => SimulatedSandbox;
  readonly podOf: (uid: string) => Pod | undefined;
  readonly disk: SimulatedDisk;
  /** Sends a request to the network of the cluster, if there is one, from a pod: `namespace/name`. */
  readonly send?: (() => ((request: Request, from: string) => Promise<Response>) | undefined) | undefined;
}

/** Exec, attach and port-forward in a simulated container. */
export class SimulatedStreams implements StreamingRuntime {
  readonly #options: SimulatedStreamsOptions;

  constructor(options: SimulatedStreamsOptions) {
    this.#options = options;
  }

  async exec({ containerId = '', cmd = [], tty = false }: ExecRequest, streams: CommandStreams): Promise<number> {
    const container = this.#options.containerOf(containerId);
    const run = findCommand(cmd);
    if (!run) return playUnknown(container, cmd, streams);
    const life = lifeOf(container);
    const signal = AbortSignal.any([streams.signal, life.signal]);
    try {
      const ends = tty ? throughTerminal(streams) : streams;
      return await run({
        ...this.#aroundOf(container),
        interactive: tty,
        // A terminal has one screen for all output.
        streams: { stdin: ends.stdin, stdout: ends.stdout, stderr: tty ? ends.stdout : streams.stderr, signal },
      });
    } finally {
      life[Symbol.dispose]();
    }
  }

  /** Runs a command of a probe or a hook; a timeout of 0 is none. */
  async execSync(
    container: SimulatedContainer,
    command: readonly string[],
    timeoutSeconds: number,
  ): Promise<ExecSyncResponse> {
    const life = lifeOf(container);
    try {
      const around = this.#aroundOf(container);
      return await execSync({ container, command, timeoutSeconds, around, life: life.signal });
    } finally {
      life[Symbol.dispose]();
    }
  }

  /**
   * Everything that the container writes from now on, until it ends. The input is passed to its command, if that reads.
   */
  async attach({ containerId = '' }: AttachRequest, streams: CommandStreams): Promise<void> {
    const container = this.#options.containerOf(containerId);
    const life = lifeOf(container);
    const hearing = container.main ? shareMain(container.main, container, streams) : hearLog(container, streams);
    await aborted(AbortSignal.any([streams.signal, life.signal]));
    hearing[Symbol.dispose]();
    life[Symbol.dispose]();
  }

  /** Runs the container's own command if that is simulated or sends a request; returns its exit code. */
  runMain(container: SimulatedContainer): Promise<number> | undefined {
    const { clock } = this.#options;
    const { config, behaviour } = container;
    const command = behaviour.exit ? undefined : (simulatedCommand(config) ?? this.#requestOf(config));
    const run = command && findCommand(command);
    if (!run) return undefined;
    // Annotations may say what the log holds.
    const log = behaviour.says.length > 0 ? new ContainerLog() : container.log;
    const main = new MainProcess(log, () => clock.now());
    container.main = main;
    if (!config.stdin) main.input.end();
    const life = lifeOf(container);
    const tty = config.tty ?? false;
    const raw = { stdin: main.input, stdout: (chunk: Uint8Array) => main.write(chunk, 'stdout') };
    const ends = tty ? throughTerminal(raw) : raw;
    const stderr = tty ? ends.stdout : (chunk: Uint8Array) => main.write(chunk, 'stderr');
    return run({
      ...this.#aroundOf(container),
      interactive: tty,
      streams: { ...ends, stderr, signal: life.signal },
    }).finally(() => {
      main.end();
      life[Symbol.dispose]();
    });
  }

  #aroundOf(container: SimulatedContainer): Omit<Around, 'streams'> {
    const { clock, random } = this.#options;
    const { uid = 0, gid = 0, supplementalGroups: groups = [] } = container.status.user?.linux ?? {};
    const environment = this.#environmentOf(container);
    const [files, fetch] = [this.#filesOf(container), this.#fetchFrom(container)];
    return { environment, clock, random, files, fetch, user: { uid, gid, groups } };
  }

  async connectPort(
    target: { readonly podSandboxId: string; readonly port: number },
    toClient: PortSink,
  ): Promise<PortSink> {
    const sandbox = this.#options.sandboxOf(target.podSandboxId);
    const { uid = '', name = '', namespace = '' } = sandbox.config.metadata ?? {};
    if (!listens(this.#options.podOf(uid), target.port))
      throw new Error(
        `failed to execute portforward in network namespace ${JSON.stringify(`/var/run/netns/cni-${uid}`)}: failed to connect to localhost:${target.port} inside namespace ${JSON.stringify(target.podSandboxId)}, IPv4: dial tcp4 127.0.0.1:${target.port}: connect: connection refused`,
      );
    return answerPort({ pod: name, namespace, port: target.port }, toClient);
  }

  /** The container's own command, if it is a request to the network. */
  #requestOf({ command = [], args = [] }: SimulatedContainer['config']): readonly string[] | undefined {
    const whole = [...command, ...args];
    return isFetching(whole) && this.#options.send?.() ? whole : undefined;
  }

  #fetchFrom({ sandboxId }: SimulatedContainer): Around['fetch'] {
    const send = this.#options.send?.();
    const { name = '', namespace = '' } = this.#options.sandboxOf(sandboxId).config.metadata ?? {};
    return send && ((request) => send(request, `${namespace}/${name}`));
  }

  #filesOf(container: SimulatedContainer): ContainerFiles {
    const { config, sandboxId } = container;
    const sandbox = this.#options.sandboxOf(sandboxId);
    container.files ??= new ContainerFiles({
      disk: this.#options.disk,
      mounts: config.mounts ?? [],
      readonlyRoot: config.linux?.securityContext?.readonlyRootfs ?? false,
      hostname: sandbox.config.hostname ?? '',
      hosts: () => hostsOf(this.#options.podOf(sandbox.config.metadata?.uid ?? ''), sandbox.ip),
    });
    return container.files;
  }

  #environmentOf({ config, sandboxId }: SimulatedContainer): Record<string, string> {
    const { hostname = '' } = this.#options.sandboxOf(sandboxId).config;
    const decoder = new TextDecoder();
    const variables = (config.envs ?? []).map(({ key = '', value }) => [key, decoder.decode(value)] as const);
    return {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOSTNAME: hostname,
      ...Object.fromEntries(variables),
      HOME: '/root',
    };
  }
}

/** `/etc/hosts` of a pod; that of a node names the machine itself alone. */
function hostsOf(pod: Pod | undefined, ip: string | undefined): string {
  const aliases = pod?.spec?.hostAliases ?? [];
  if (!pod || !ip) return nodeHostsFile('127.0.0.1\tlocalhost\n', aliases);
  const fullName = fullNameOf(pod, 'cluster.local');
  return podHostsFile({ podIps: [ip], hostname: hostnameOf(pod), aliases, ...(fullName && { fullName }) });
}

/** What comes in for a command is read by it; a client that leaves takes its input along if it was to have only one. */
function shareMain(main: MainProcess, { config }: SimulatedContainer, streams: CommandStreams): Disposable {
  const tell: OutputReader = (chunk, stream) => streams[stream](chunk);
  main.readers.add(tell);
  const feed = async () => {
    for await (const chunk of streams.stdin) main.input.write(chunk);
    if (config.stdinOnce) main.input.end();
  };
  void feed();
  return { [Symbol.dispose]: () => void main.readers.delete(tell) };
}

/** The input is discarded, as by a process that does not read it. */
function hearLog({ log }: SimulatedContainer, { stdin, stdout, stderr }: CommandStreams): Disposable {
  const tell = ({ stream, text, partial }: LogLine) =>
    (stream === 'stderr' ? stderr : stdout)(utf8(partial ? text : `${text}\n`));
  log.readers.add(tell);
  const drain = async () => {
    for await (const _ of stdin);
  };
  void drain();
  return { [Symbol.dispose]: () => void log.readers.delete(tell) };
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function playUnknown({ id, behaviour }: SimulatedContainer, cmd: readonly string[], streams: CommandStreams): number {
  const { unknownCommand } = behaviour;
  if (!unknownCommand) {
    const program = JSON.stringify(cmd[0] ?? '');
    throw new CriError(
      'Unknown',
      `failed to exec in container: failed to start exec ${JSON.stringify(id)}: OCI runtime exec failed: exec failed: unable to start container process: exec: ${program}: executable file not found in $PATH`,
    );
  }
  if (unknownCommand.output !== '') streams.stdout(utf8(unknownCommand.output));
  return unknownCommand.exitCode;
}

/** A signal that aborts when the container ends. */
function lifeOf(container: SimulatedContainer): Disposable & { readonly signal: AbortSignal } {
  const ended = new AbortController();
  const tell = () => ended.abort(new Error('the container has ended'));
  container.onExit.add(tell);
  return { signal: ended.signal, [Symbol.dispose]: () => void container.onExit.delete(tell) };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
