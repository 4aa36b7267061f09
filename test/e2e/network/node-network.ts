import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeNetworkConfig } from '@coracle/cni';
import { run } from '../run.js';
import { connect, Machine } from './machines.js';

const bundle = fileURLToPath(new URL('../../../apps/coracle/dist/coracle-cni.cjs', import.meta.url));

export interface Pod {
  readonly machine: Machine;
  readonly four: string;
  readonly six: string;
}

/** A node with a network of pods, a client outside of it on one segment, and pods that the plugin connects. */
export class NodeNetwork implements AsyncDisposable {
  readonly node: Machine;
  readonly outside: Machine;
  readonly #machines: Machine[] = [];
  readonly #leases = mkdtempSync(join(tmpdir(), 'coracle-leases-'));

  private constructor(node: Machine, outside: Machine) {
    this.node = node;
    this.outside = outside;
  }

  static async make(): Promise<NodeNetwork> {
    const network = new NodeNetwork(await Machine.make('node'), await Machine.make('outside'));
    await connect(
      { machine: network.node, device: 'eth0', addresses: ['192.0.2.1/24', 'fd00:2::1/64'] },
      { machine: network.outside, device: 'eth0', addresses: ['192.0.2.9/24', 'fd00:2::9/64'] },
    );
    await network.node.ip('route add default via 192.0.2.9', 'route add ::/0 via fd00:2::9');
    await network.outside.ip('route add default via 192.0.2.1', 'route add ::/0 via fd00:2::1');
    return network;
  }

  /** A pod that answers on port 8080 with its name and the address of its client. */
  async pod(label: string): Promise<Pod> {
    const machine = await Machine.make(label);
    this.#machines.push(machine);
    const [plugin] = nodeNetworkConfig({
      podCidrs: ['10.244.1.0/24', 'fd00:244:1::/64'],
      clusterCidrs: ['10.244.0.0/16', 'fd00:244::/32'],
      mtu: 1500,
      dataDir: this.#leases,
    })['plugins'] as object[];
    const { code, stdout } = await run('nsenter', [`--net=${this.node.netns}`, process.execPath, bundle], {
      env: {
        CNI_COMMAND: 'ADD',
        CNI_CONTAINERID: machine.name,
        CNI_NETNS: machine.netns,
        CNI_IFNAME: 'eth0',
        CNI_PATH: '/',
      },
      input: JSON.stringify({ cniVersion: '1.0.0', name: 'coracle', ...plugin }),
    });
    if (code !== 0) throw new Error(stdout);
    const [four = '', six = ''] = JSON.parse(stdout).ips.map(
      ({ address }: { address: string }) => address.split('/')[0],
    );
    await machine.serve(label, 8080);
    return { machine, four, six };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of [...this.#machines, this.outside, this.node]) await machine[Symbol.asyncDispose]();
    rmSync(this.#leases, { recursive: true, force: true });
  }
}
