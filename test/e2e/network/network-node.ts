import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TestContainerd, whyNoContainerd } from '../containerd/containerd.js';
import { isInstalled, run } from '../run.js';
import { program } from '../running-cluster.js';
import { canMakeMachines } from './machines.js';

/** Tests with a real node need containerd, root and kubectl. */
export const canMakeRealNodes =
  whyNoContainerd() === undefined && canMakeMachines && isInstalled('kubectl', ['version', '--client']);

/** `coracle up` with a network namespace as the machine, and a separate containerd. Its address is 192.0.2.1. */
export class NetworkNode implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'coracle-real-node-'));
  readonly #flags: readonly string[];
  containerd!: TestContainerd;
  #process: ChildProcess | undefined;

  private constructor(flags: readonly string[]) {
    this.#flags = flags;
  }

  static async make(...flags: string[]): Promise<NetworkNode> {
    const node = new NetworkNode(flags);
    try {
      for (const name of ['conf', 'bin']) mkdirSync(join(node.folder, name), { recursive: true });
      node.containerd = await TestContainerd.start({
        cniConfigFolder: node.configFolder,
        cniPluginFolder: join(node.folder, 'bin'),
      });
      await node.containerd.inside('ip', ['link', 'add', 'eth0', 'type', 'bridge']);
      await node.containerd.inside('ip', ['addr', 'add', '192.0.2.1/24', 'dev', 'eth0']);
      await node.containerd.inside('ip', ['addr', 'add', 'fd00:2::1/64', 'dev', 'eth0', 'nodad']);
      await node.containerd.inside('ip', ['link', 'set', 'eth0', 'up']);
      await node.start();
      return node;
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
  }

  get configFolder(): string {
    return join(this.folder, 'conf');
  }

  get kubeconfig(): string {
    return join(this.folder, 'data', 'admin.kubeconfig');
  }

  async start(): Promise<void> {
    const { endpoint, cgroupRoot } = this.containerd;
    const flags = ['--runtime', 'cri', '--cri-endpoint', endpoint, '--cgroup-root', cgroupRoot];
    // It listens on loopback, as it does by default; pods reach it at the address that it advertises.
    const node = ['--hostname-override', 'node1', '--advertise-address', '192.0.2.1'];
    const address = this.#flags.includes('--node-ip') ? [] : ['--node-ip', '192.0.2.1'];
    const data = ['--data-dir', join(this.folder, 'data'), '--clean'];
    const args = [program, 'up', ...flags, ...node, ...address, ...data, ...this.#flags];
    const child = spawn(...this.containerd.insideArguments(process.execPath, args), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    for (let i = 0; i < 600 && !printed.includes('is ready') && child.exitCode === null; i++) await wait(100);
    if (!printed.includes('is ready')) throw new Error(`coracle is not ready; it printed ${JSON.stringify(printed)}`);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** The output of kubectl; a last argument that is JSON is its input. */
  async kubectl(...args: string[]): Promise<string> {
    const input = args.at(-1)?.startsWith('{') ? args.pop() : undefined;
    const all = ['--kubeconfig', this.kubeconfig, ...args];
    const { stdout, stderr } = await this.containerd.inside('kubectl', all, {
      timeoutMs: 120_000,
      ...(input && { input }),
    });
    return (stdout + stderr).trim();
  }

  apply(object: object): Promise<string> {
    return this.kubectl('apply', '-f', '-', JSON.stringify(object));
  }

  /** The output of a command on the node. */
  async run(command: string, ...args: string[]): Promise<string> {
    return (await this.containerd.inside(command, args, { timeoutMs: 60_000 })).stdout.trim();
  }

  /** The last line of an HTTP server's response to a pod. */
  ask(pod: string, address: string, port = 80): Promise<string> {
    const script = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} ${port} | tail -n 1`;
    return this.kubectl('exec', pod, '--', 'sh', '-c', script);
  }

  /** Repeats the request until the response matches. */
  async until(pattern: RegExp, ask: () => Promise<string>, seconds = 40): Promise<void> {
    const began = Date.now();
    let answer = await ask();
    while (!pattern.test(answer) && Date.now() - began < seconds * 1000) {
      await wait(250);
      answer = await ask();
    }
    if (!pattern.test(answer))
      throw new Error(`after ${seconds} s the answer is ${JSON.stringify(answer)}, not ${pattern}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    await this.containerd?.[Symbol.asyncDispose]();
    // What a kubelet that was killed did not take down is still mounted.
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const path of mounts.filter((one) => one.startsWith(`${this.folder}/`))) await run('umount', ['-l', path]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
