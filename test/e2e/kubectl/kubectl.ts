import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newestKubectl } from '../released-programs.js';
import { isInstalled, type Outcome, run } from '../run.js';
import type { RunningCluster } from '../running-cluster.js';

/** The real kubectl: that of v1.36, or else the installed one. Debian and Ubuntu have it as `kubernetes-client`. */
export const realKubectl = newestKubectl ?? 'kubectl';
export const hasKubectl = isInstalled(realKubectl, ['version', '--client']);

/** Coracle's kubectl, as it is published. */
export const ownKubectl = fileURLToPath(new URL('../../../apps/coracle/dist/kubectl.js', import.meta.url));

type KubectlTarget = Pick<RunningCluster, 'kubeconfig' | 'dataDir'>;

export interface KubectlOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

/** The real kubectl, or another program in its place, in one namespace of one cluster. */
export class Kubectl {
  readonly #cluster: KubectlTarget;
  readonly #env: Readonly<Record<string, string>>;
  readonly #namespace: string;
  readonly #program: string;

  constructor(cluster: KubectlTarget, namespace = 'default', { env = {}, program = realKubectl }: KubectlOptions = {}) {
    this.#program = program;
    this.#cluster = cluster;
    this.#env = { KUBECONFIG: cluster.kubeconfig, KUBECACHEDIR: join(cluster.dataDir, 'kubectl-cache'), ...env };
    this.#namespace = namespace;
  }

  get namespace(): string {
    return this.#namespace;
  }

  /** The same with these variables in its environment. */
  with(env: Readonly<Record<string, string>>): Kubectl {
    return new Kubectl(this.#cluster, this.#namespace, { env, program: this.#program });
  }

  /** In a new namespace, so that tests of one cluster do not meet. */
  static async inNamespace(cluster: RunningCluster, namespace: string, program?: string): Promise<Kubectl> {
    const kubectl = new Kubectl(cluster, namespace, program === undefined ? {} : { program });
    await kubectl.succeed('create', 'namespace', namespace);
    return kubectl;
  }

  run(args: readonly string[], input = ''): Promise<Outcome> {
    return run(this.#program, ['--namespace', this.#namespace, ...args], { env: this.#env, input, timeoutMs: 60_000 });
  }

  /** Its output. Fails if kubectl fails. */
  async succeed(...args: string[]): Promise<string> {
    return await this.succeedWith('', ...args);
  }

  async succeedWith(input: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Its error output. Fails if kubectl succeeds. */
  async fail(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')} succeeded: ${stdout}`);
    return stderr;
  }

  async apply(...objects: object[]): Promise<string> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    return await this.succeedWith(list, 'apply', '-f', '-');
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.succeed(...args, '-o', 'json')) as T;
  }

  /** Runs until it is disposed, and yields its lines as they arrive. */
  lines(...args: string[]): AsyncIterable<string> & Disposable {
    const child = spawn(this.#program, ['--namespace', this.#namespace, ...args], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const reader = createInterface({ input: child.stdout });
    return {
      [Symbol.asyncIterator]: () => reader[Symbol.asyncIterator](),
      [Symbol.dispose]: () => void child.kill(),
    };
  }
}
