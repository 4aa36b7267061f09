import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome, RunOptions } from '../run.js';
import { program } from '../running-cluster.js';
import { TestContainerd } from './containerd.js';

/** `coracle up` on a separate containerd; both are stopped at the end. */
export class CoracleOnContainerd implements AsyncDisposable {
  readonly containerd: TestContainerd;
  readonly #umask: string;
  #process: ChildProcess | undefined;

  private constructor(containerd: TestContainerd, umask: string) {
    this.containerd = containerd;
    this.#umask = umask;
  }

  static async start({ umask = '022' }: { readonly umask?: string } = {}): Promise<CoracleOnContainerd> {
    const made = new CoracleOnContainerd(await TestContainerd.start(), umask);
    try {
      await made.launch();
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      throw error;
    }
  }

  get dataDir(): string {
    return join(this.containerd.folder, 'coracle');
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Starts the cluster; again after `kill`. */
  async launch(): Promise<void> {
    const { endpoint, cgroupRoot } = this.containerd;
    const flags = [
      '--data-dir',
      this.dataDir,
      '--listen',
      '127.0.0.1:6443',
      '--runtime',
      'cri',
      '--cri-endpoint',
      endpoint,
      // Kubelets of other tests remove unknown pods below a shared root.
      '--cgroup-root',
      cgroupRoot,
    ];
    const withUmask = ['-c', `umask ${this.#umask} && exec "$0" "$@"`, process.execPath, program, 'up', ...flags];
    const [command, args] = this.containerd.insideArguments('sh', withUmask);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('coracle is ready')) return;
    throw new Error('coracle did not become ready');
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  kubectlArguments(args: readonly string[]): [string, string[]] {
    return this.containerd.insideArguments('kubectl', [
      '--kubeconfig',
      join(this.dataDir, 'admin.kubeconfig'),
      ...args,
    ]);
  }

  kubectl(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const kubeconfig = join(this.dataDir, 'admin.kubeconfig');
    return this.containerd.inside('kubectl', ['--kubeconfig', kubeconfig, ...args], { timeoutMs: 120_000, ...options });
  }

  /** Its output; throws its error output if it fails. */
  async must(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
    await this.containerd[Symbol.asyncDispose]();
  }
}
