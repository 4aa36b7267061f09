import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome } from '../run.js';
import { program } from '../running-cluster.js';
import { mountsBelow, type TestContainerd } from './containerd.js';

/** `coracle up --runtime cri` as a process in the network namespace of a test's containerd. */
export class RealNode implements AsyncDisposable {
  readonly dataDir: string = mkdtempSync(join(tmpdir(), 'coracle-node-'));
  readonly #containerd: TestContainerd;
  readonly #flags: readonly string[];
  #process: ChildProcess | undefined;
  #errors = '';

  private constructor(containerd: TestContainerd, flags: readonly string[]) {
    this.#containerd = containerd;
    this.#flags = flags;
  }

  static async start(containerd: TestContainerd, flags: readonly string[] = []): Promise<RealNode> {
    const node = new RealNode(containerd, flags);
    await node.launch();
    return node;
  }

  /** Starts it; also after `kill`. Does nothing while it is running. */
  async launch(): Promise<void> {
    if (this.#isUp) return;
    const { endpoint, cgroupRoot } = this.#containerd;
    const runtime = ['--runtime', 'cri', '--cri-endpoint', endpoint, '--cgroup-root', cgroupRoot];
    const where = ['--data-dir', this.dataDir, '--listen', '127.0.0.1:6443', '--hostname-override', 'machine'];
    const all = [program, 'up', ...where, ...runtime, ...this.#flags];
    const [command, args] = this.#containerd.insideArguments(process.execPath, all);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    this.#errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('coracle is ready')) continue;
      child.stdout.resume();
      return;
    }
    throw new Error(`coracle ended before it was ready: ${this.#errors}`);
  }

  /** Its output to stderr since it was launched. */
  get errors(): string {
    return this.#errors;
  }

  get #isUp(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  kubectl(args: readonly string[], input?: string): Promise<Outcome> {
    const env = { KUBECONFIG: join(this.dataDir, 'admin.kubeconfig') };
    return this.#containerd.inside('kubectl', args, { env, timeoutMs: 120_000, ...(input !== undefined && { input }) });
  }

  /** The output of kubectl; throws if it fails. */
  async must(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(args);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Makes these objects, which are JSON. */
  async create(...objects: readonly object[]): Promise<void> {
    const file = join(this.dataDir, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const { code, stderr } = await this.kubectl(['create', '-f', file]);
    if (code !== 0) throw new Error(stderr);
  }

  /** Evaluates a JSONPath on an object until it has the expected result. */
  async until(object: string, path: string, pattern: RegExp, timeoutMs = 100_000): Promise<string> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const { stdout, stderr } = await this.kubectl(['get', object, '-o', `jsonpath=${path}`]);
      if (pattern.test(stdout)) return stdout;
      if (Date.now() > end) {
        const status = await this.kubectl(['get', object, '-o', 'jsonpath={.status}']);
        throw new Error(`${object} ${path} is ${JSON.stringify(stdout || stderr)}, not ${pattern}: ${status.stdout}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Ends it as a loss of power would. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child || !this.#isUp) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    for (const path of mountsBelow(this.dataDir)) spawnSync('umount', ['-l', path]);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** A pod of one busybox container. */
export function podOf(name: string, image: string, script: string, spec: object = {}, container: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { run: 'test' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Never',
      containers: [{ name: 'c', image, command: ['sh', '-c', script], ...container }],
      ...spec,
    },
  };
}
