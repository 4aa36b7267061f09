import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Outcome, run } from '../run.js';

/** Network namespaces can be made: by root, with iproute2, nftables and busybox. */
export const canMakeMachines =
  process.getuid?.() === 0 &&
  [
    ['ip', '-V'],
    ['nft', '--version'],
    ['busybox', 'true'],
  ].every(([command = '', arg = '']) => spawnSync(command, [arg]).status === 0);

/** A network namespace in the role of a machine, a pod or a router. */
export class Machine implements AsyncDisposable {
  readonly name: string;
  readonly #processes: ChildProcess[] = [];

  private constructor(name: string) {
    this.name = name;
  }

  static async make(label: string): Promise<Machine> {
    const machine = new Machine(`e2e-${randomUUID().slice(0, 8)}-${label}`);
    await mustRun('ip', ['netns', 'add', machine.name]);
    await machine.ip('link set lo up');
    return machine;
  }

  /** The path of the namespace. */
  get netns(): string {
    return `/var/run/netns/${this.name}`;
  }

  /** Lines for `ip`, one after the other. */
  async ip(...lines: string[]): Promise<void> {
    const { code, stderr } = await run('ip', ['-n', this.name, '-batch', '-'], { input: `${lines.join('\n')}\n` });
    if (code !== 0) throw new Error(`${lines.join('; ')}: ${stderr}`);
  }

  run(command: string, ...args: string[]): Promise<Outcome> {
    return run('nsenter', [`--net=${this.netns}`, command, ...args], { timeoutMs: 15_000 });
  }

  /** The output of a command; throws if it fails. */
  async read(command: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, ...args);
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr || stdout}`);
    return stdout.trim();
  }

  /** The first line of an HTTP answer's body, or the reason why there is none. */
  async fetch(address: string, port: number | string, seconds = 10): Promise<string> {
    const host = address.includes(':') ? `[${address}]` : address;
    const { code, stdout, stderr } = await this.run('curl', '-sS', '-m', String(seconds), `http://${host}:${port}/`);
    return code === 0 ? stdout.trim() : stderr.trim();
  }

  /** Sends one datagram and returns the response; empty without one. */
  async ask(address: string, port: number | string, sourcePort = 0): Promise<string> {
    const script = fileURLToPath(new URL('send-udp.mjs', import.meta.url));
    return (await this.run(process.execPath, script, address, String(port), String(sourcePort))).stdout.trim();
  }

  /** Serves HTTP over TCP and echoes UDP on a port: it responds with its name and the address of the client. */
  async serve(label: string, port: number): Promise<void> {
    await this.start(process.execPath, fileURLToPath(new URL('name-server.mjs', import.meta.url)), label, String(port));
  }

  /** Starts a program that continues, and waits for its first output. */
  async start(command: string, ...args: string[]): Promise<ChildProcess> {
    const child = spawn('nsenter', [`--net=${this.netns}`, command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#processes.push(child);
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
    child.stdout.resume();
    if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')} ended with ${child.exitCode}`);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) child.kill('SIGKILL');
    await run('ip', ['netns', 'del', this.name]);
  }
}

export interface Port {
  readonly machine: Machine;
  readonly device: string;
  readonly addresses: readonly string[];
}

/** A cable between two machines. */
export async function connect(a: Port, b: Port): Promise<void> {
  await a.machine.ip(`link add ${a.device} type veth peer name ${b.device} netns ${b.machine.name}`);
  for (const { machine, device, addresses } of [a, b])
    await machine.ip(
      `link set ${device} up`,
      ...addresses.map((address) => `addr add ${address} dev ${device}${address.includes(':') ? ' nodad' : ''}`),
    );
}

async function mustRun(command: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
