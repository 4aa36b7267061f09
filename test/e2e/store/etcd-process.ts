import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Whether there is an `etcd` to run. Debian and Ubuntu have it as `etcd-server`. */
export const hasEtcd = spawnSync('etcd', ['--version']).status === 0;

/** One member of an etcd cluster, in a separate process. */
export class EtcdMember {
  readonly name: string;
  readonly clientUrl: string;
  readonly peerUrl: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'coracle-etcd-'));
  #process: ChildProcess | undefined;

  readonly #flags: readonly string[];
  readonly #metricsUrl: string;

  constructor(name: string, [client, peer, metrics]: readonly number[], flags: readonly string[] = []) {
    this.name = name;
    this.clientUrl = `${flags.includes('--cert-file') ? 'https' : 'http'}://127.0.0.1:${client}`;
    this.peerUrl = `http://127.0.0.1:${peer}`;
    this.#metricsUrl = `http://127.0.0.1:${metrics}`;
    this.#flags = flags;
  }

  start(members: readonly EtcdMember[]): void {
    const cluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
    this.#process = spawn(
      'etcd',
      [
        ['--name', this.name, '--data-dir', this.#directory, '--log-level', 'error', '--logger', 'zap'],
        ['--listen-client-urls', this.clientUrl, '--advertise-client-urls', this.clientUrl],
        ['--listen-peer-urls', this.peerUrl, '--initial-advertise-peer-urls', this.peerUrl],
        ['--initial-cluster', cluster, '--heartbeat-interval', '50', '--election-timeout', '500'],
        ['--listen-metrics-urls', this.#metricsUrl, ...this.#flags],
      ].flat(),
      { stdio: 'ignore' },
    );
  }

  async untilHealthy(): Promise<void> {
    for (;;) {
      const healthy = await fetch(`${this.#metricsUrl}/health`).then(
        async (response) => (await response.text()).includes('"health":"true"'),
        () => false,
      );
      if (healthy) return;
      await wait(50);
    }
  }

  /** Whether it is the leader by its own metrics. */
  async isLeader(): Promise<boolean> {
    const metrics = await fetch(`${this.#metricsUrl}/metrics`).then((response) => response.text());
    return metrics.includes('\netcd_server_is_leader 1\n');
  }

  /** Ends it as a loss of power would. */
  async kill(): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A cluster of new members, ready to answer. */
export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly EtcdMember[];

  private constructor(members: readonly EtcdMember[]) {
    this.members = members;
  }

  static async start(size: number, flags: readonly string[] = []): Promise<EtcdCluster> {
    const ports = await freePorts(size * 3);
    const members = Array.from(
      { length: size },
      (_, i) => new EtcdMember(`m${i}`, ports.slice(i * 3, i * 3 + 3), flags),
    );
    for (const member of members) member.start(members);
    await Promise.all(members.map((member) => member.untilHealthy()));
    return new EtcdCluster(members);
  }

  get endpoints(): readonly string[] {
    return this.members.map((member) => member.clientUrl);
  }

  async leader(): Promise<EtcdMember> {
    for (const member of this.members) if (await member.isLeader()) return member;
    throw new Error('the cluster has no leader');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
