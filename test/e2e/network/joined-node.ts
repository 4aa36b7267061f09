import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TestContainerd } from '../containerd/containerd.js';
import { program } from '../running-cluster.js';
import type { NetworkNode } from './network-node.js';

/**
 * `coracle join` on another machine of the network of a `NetworkNode`, with a containerd of its own. The API server must
 * listen on 192.0.2.1:6443. Its address is 192.0.2.2.
 */
export class JoinedNode implements AsyncDisposable {
  readonly containerd: TestContainerd;
  readonly #first: NetworkNode;
  #process: ChildProcess | undefined;

  private constructor(containerd: TestContainerd, first: NetworkNode) {
    this.containerd = containerd;
    this.#first = first;
  }

  static async make(first: NetworkNode): Promise<JoinedNode> {
    const [cniConfigFolder, cniPluginFolder] = [join(first.folder, 'conf2'), join(first.folder, 'bin2')];
    for (const folder of [cniConfigFolder, cniPluginFolder]) mkdirSync(folder, { recursive: true });
    const node = new JoinedNode(await TestContainerd.start({ cniConfigFolder, cniPluginFolder }), first);
    try {
      await node.#connect();
      await node.start();
      return node;
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { netns } = this.containerd;
    const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', `/run/netns/${netns}`];
    await this.#first.run('ip', 'link', 'add', 'to-node2', ...peer);
    await this.#first.run('ip', 'link', 'set', 'to-node2', 'master', 'eth0', 'up');
    // Where bridged packets pass the packet filter, what a node port sends back to where it came from needs this.
    await this.#first.run('ip', 'link', 'set', 'to-node2', 'type', 'bridge_slave', 'hairpin', 'on');
    await this.containerd.inside('ip', ['addr', 'add', '192.0.2.2/24', 'dev', 'eth0']);
    await this.containerd.inside('ip', ['link', 'set', 'eth0', 'up']);
  }

  /** Starts it again after `stop`, with its existing credentials. */
  async start(): Promise<void> {
    const { endpoint, cgroupRoot } = this.containerd;
    const create = [program, 'token', 'create', '--kubeconfig', this.#first.kubeconfig];
    const printed = await this.#first.run(process.execPath, ...create);
    const joins = printed.split(/\s+/).slice(printed.split(/\s+/).indexOf('join'));
    const where = ['--hostname-override', 'node2', '--node-ip', '192.0.2.2', '--cgroup-root', cgroupRoot];
    const own = ['--root-dir', join(this.#first.folder, 'kubelet2'), '--container-runtime-endpoint', endpoint];
    const [command, args] = this.containerd.insideArguments(process.execPath, [program, ...joins, ...where, ...own]);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout }))
      if (line.startsWith('this machine has joined')) return;
    throw new Error('the machine has not joined');
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    await this.containerd[Symbol.asyncDispose]();
  }
}
