import { networkInterfaces } from 'node:os';
import { cidrContains, parseCidr, parseIp } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import type { ForwardedPort, PortForwarder } from '@coracle/proxy';
import { ClientAffinity } from './client-affinity.js';
import { forwardTcp } from './forward-tcp.js';
import { forwardUdp } from './forward-udp.js';

export interface UserSpacePortsOptions {
  /** Networks whose addresses are listened on; all addresses if empty. */
  readonly nodePortAddresses: readonly string[];
}

/** The listener of one port; its endpoints may change. */
export interface ForwardingPort extends AsyncDisposable {
  lead(port: ForwardedPort): void;
}

const protocols = { tcp: forwardTcp, udp: forwardUdp };

/**
 * Node ports served by this process: TCP and UDP are forwarded to endpoints chosen at random, or by session affinity.
 */
export function userSpacePorts({ nodePortAddresses }: UserSpacePortsOptions): PortForwarder {
  const open = new Map<string, ForwardingPort>();
  return {
    async serve(ports) {
      const portsByKey = new Map(ports.map((one) => [`${one.protocol}/${one.port}`, one]));
      for (const [key, port] of open) {
        const next = portsByKey.get(key);
        if (next) port.lead(next);
        else {
          open.delete(key);
          await port[Symbol.asyncDispose]();
        }
      }
      const failed = new Map<string, string>();
      for (const [key, one] of portsByKey) {
        if (open.has(key)) continue;
        try {
          open.set(key, await openPort(one, nodePortAddresses));
        } catch (error) {
          failed.set(key, messageOf(error));
        }
      }
      return failed;
    },
  };
}

async function openPort(port: ForwardedPort, networks: readonly string[]): Promise<ForwardingPort> {
  const affinity = new ClientAffinity(port);
  const hosts = networks.length === 0 ? [undefined] : addressesIn(networks);
  if (hosts.length === 0) throw new Error('the node has no address in the networks for node ports');
  const parts: AsyncDisposable[] = [];
  try {
    for (const host of hosts) parts.push(await protocols[port.protocol](port.port, host, affinity));
  } catch (error) {
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    throw error;
  }
  return {
    lead: (next) => affinity.lead(next),
    async [Symbol.asyncDispose]() {
      await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    },
  };
}

/** The addresses of this machine that are in one of the networks. */
function addressesIn(networks: readonly string[]): string[] {
  const blocks = networks.flatMap((network) => parseCidr(network) ?? []);
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all
    .map(({ address }) => address)
    .filter((address) => {
      const ip = parseIp(address);
      return ip && blocks.some((block) => cidrContains(block, ip));
    });
}
