import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCriClient } from '@coracle/platform-nodejs';
import { type Outcome, type RunOptions, run } from '../run.js';
import { type TestImage, writeImageArchive } from './busybox-image.js';
import { removeCgroups } from './cgroups.js';
import { type ConfigInput, writeContainerdConfig } from './containerd-config.js';

/** Images of every test containerd: busybox, one that runs as user 65534, and the sandbox image. */
export const busybox = 'localhost/coracle/busybox:1';
export const busyboxAsNobody = 'localhost/coracle/nobody:1';
const pause = 'localhost/coracle/pause:1';

const images: readonly TestImage[] = [
  { name: busybox },
  { name: busyboxAsNobody, user: '65534' },
  { name: pause, command: ['sleep', '2147483647'] },
];

/** Why tests on containerd are skipped here, if they are. */
export function whyNoContainerd(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const needed = ['containerd', 'ctr', 'runc', 'ip', 'nsenter', 'busybox'];
  const missing = needed.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  return missing.length > 0 ? `needs ${missing.join(', ')}` : undefined;
}

export type ContainerdOptions = Partial<Omit<ConfigInput, 'folder' | 'sandboxImage'>> & {
  readonly images?: readonly TestImage[];
};

/** A containerd for one test, in a separate network namespace. All of it is removed at the end. */
export class TestContainerd implements AsyncDisposable {
  /** Everything that it keeps. */
  readonly folder: string = mkdtempSync(join(tmpdir(), 'coracle-containerd-'));
  /** The network namespace that it runs in; the kubelet belongs there too. */
  readonly netns: string;
  /** The parent of all cgroups of its pods, to be given to the kubelet. */
  readonly cgroupRoot: string;
  readonly #config: string;
  #process: ChildProcess | undefined;

  private constructor() {
    // As unique as the folder: tests in threads share a process, and processes share the machine.
    const name = `cor-${this.folder.slice(-6)}`;
    this.netns = name;
    this.cgroupRoot = `/${name}`;
    this.#config = join(this.folder, 'config.toml');
  }

  static async start(options: ContainerdOptions = {}): Promise<TestContainerd> {
    const made = new TestContainerd();
    try {
      const input = { podCidr: '10.88.0.0/16', bridge: 'cor0', ...options };
      await writeContainerdConfig({ ...input, folder: made.folder, sandboxImage: pause });
      await made.#must('ip', ['netns', 'add', made.netns]);
      await made.inside('ip', ['link', 'set', 'lo', 'up']);
      await made.launch();
      const archive = await writeImageArchive(join(made.folder, 'images'), [...images, ...(options.images ?? [])]);
      await made.#must('ctr', ['-a', made.socket, '-n', 'k8s.io', 'images', 'import', archive]);
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      throw error;
    }
  }

  get socket(): string {
    return join(this.folder, 'containerd.sock');
  }

  /** For `--cri-endpoint`. */
  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  /** Runs a program in its network namespace. */
  inside(command: string, args: readonly string[], options?: RunOptions): Promise<Outcome> {
    return run(...this.insideArguments(command, args), options);
  }

  /** The same as a command line, for long-running programs. */
  insideArguments(command: string, args: readonly string[]): [string, string[]] {
    return ['nsenter', [`--net=/run/netns/${this.netns}`, command, ...args]];
  }

  /** Starts the daemon unless it is running; also after `kill`. Running containers continue. */
  async launch(): Promise<void> {
    if (this.#isUp) return;
    const [command, args] = this.insideArguments('containerd', ['--config', this.#config]);
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.pipe(createWriteStream(join(this.folder, 'containerd.log'), { flags: 'a' }));
    this.#process = child;
    for (let attempt = 0; attempt < 600; attempt++) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      if (spawnSync('ctr', ['-a', this.socket, '--connect-timeout', '1s', 'version']).status === 0) return;
      await wait(100);
    }
    throw new Error(`containerd does not answer: ${readFileSync(join(this.folder, 'containerd.log'), 'utf8')}`);
  }

  /** Stops only the daemon. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child || !this.#isUp) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Stops the daemon with SIGSTOP: it answers nothing until it is resumed. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  get #isUp(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Stops and removes whatever runs, with its network. */
  async removePods(): Promise<void> {
    using client = createCriClient({ endpoint: this.endpoint, timeoutMs: 10_000 });
    const { items = [] } = await client.runtime.listPodSandbox({});
    const ids = items.map(({ id = '' }) => id);
    await Promise.all(ids.map((podSandboxId) => client.runtime.stopPodSandbox({ podSandboxId })));
    await Promise.all(ids.map((podSandboxId) => client.runtime.removePodSandbox({ podSandboxId })));
  }

  /** Its containers, sandboxes among them. */
  async containers(): Promise<string[]> {
    const listed = await this.#must('ctr', ['-a', this.socket, '-n', 'k8s.io', 'containers', 'list', '-q']);
    return listed.split('\n').filter((id) => id !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.removePods().catch(() => undefined);
    await this.kill('SIGTERM');
    for (const pid of processesOf(this.folder)) killQuietly(pid);
    await wait(100);
    await removeCgroups(this.cgroupRoot);
    for (const path of mountsBelow(this.folder)) spawnSync('umount', ['-l', path]);
    spawnSync('ip', ['netns', 'del', this.netns]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #must(command: string, args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(command, args);
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
}

/** The shims of this daemon, and their processes. */
function processesOf(folder: string): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const shims = all.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(`-address\0${folder}/`));
  const children = shims.flatMap((pid) => textOf(`/proc/${pid}/task/${pid}/children`).split(' '));
  return [...shims, ...children].map(Number).filter((pid) => pid > 1);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited by itself.
  }
}

/** The innermost first. */
export function mountsBelow(folder: string): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/`)).reverse();
}
