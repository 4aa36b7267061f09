import {
  forwardingChanges,
  planRoutes,
  type RouteBackend,
  type RoutePeer,
  routeChanges,
  tunnelLines,
} from '@coracle/cni';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../run.js';
import { canMakeMachines, connect, Machine } from './machines.js';

interface TestNode {
  readonly machine: Machine;
  readonly address: string;
  readonly cidr: string;
  /** An address of its pod range. */
  readonly pod: string;
}

describe.skipIf(!canMakeMachines)(
  'routes between nodes: two on one segment, a third behind a router',
  { timeout: 120_000 },
  () => {
    let router: Machine;
    const nodes: TestNode[] = [];
    const places = [
      { address: '192.0.2.1', gateway: '192.0.2.254', segment: 'near' },
      { address: '192.0.2.2', gateway: '192.0.2.254', segment: 'near' },
      { address: '198.51.100.3', gateway: '198.51.100.254', segment: 'far' },
    ];

    beforeAll(async () => {
      router = await Machine.make('router');
      await router.read('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
      for (const [name, address] of [
        ['near', '192.0.2.254/24'],
        ['far', '198.51.100.254/24'],
      ]) {
        await router.ip(`link add ${name} type bridge`, `link set ${name} up`, `addr add ${address} dev ${name}`);
      }
      for (const [i, { address, gateway, segment }] of places.entries()) {
        const machine = await Machine.make(`node${i}`);
        await connect(
          { machine, device: 'eth0', addresses: [`${address}/24`] },
          { machine: router, device: `port${i}`, addresses: [] },
        );
        await router.ip(`link set port${i} master ${segment}`);
        const pod = `10.244.${i}.1`;
        await machine.ip(
          `route add default via ${gateway}`,
          'link add pods type bridge',
          'link set pods up',
          `addr add ${pod}/24 dev pods`,
        );
        await machine.read('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
        await machine.serve(`node${i}`, 8080);
        nodes.push({ machine, address, cidr: `10.244.${i}.0/24`, pod });
      }
    });
    afterAll(async () => {
      for (const { machine } of nodes) await machine[Symbol.asyncDispose]();
      await router?.[Symbol.asyncDispose]();
    });

    async function connectNodes(backend: RouteBackend): Promise<void> {
      for (const node of nodes) {
        const peers: RoutePeer[] = nodes
          .filter((other) => other !== node)
          .map(({ address, cidr }) => ({
            name: address,
            addresses: [address],
            podCidrs: [cidr],
            adjacent: address.slice(0, 5) === node.address.slice(0, 5),
          }));
        const plan = planRoutes(peers, backend);
        await node.machine.run('ip', 'link', 'del', 'coracle.1');
        if (plan.forwarding.size > 0)
          await node.machine.ip(...tunnelLines([node.cidr], { local: node.address, mtu: 1450 }));
        await node.machine.ip(...routeChanges(undefined, plan));
        const input = `${forwardingChanges(undefined, plan).join('\n')}\n`;
        if (plan.forwarding.size > 0)
          expect((await run('bridge', ['-n', node.machine.name, '-batch', '-'], { input })).stderr).toBe('');
      }
    }

    /** With the source address of a pod: one of the node's pod CIDR. */
    const ask = (from: TestNode | undefined, to: TestNode | undefined) =>
      from?.machine
        .run('curl', '-sS', '-m', '3', '--interface', from.pod, `http://${to?.pod}:8080/`)
        .then(({ stdout, stderr }) => stdout.trim() || stderr.trim());

    test.each(['auto', 'vxlan'] as const)(
      'with backend %s every pod reaches every other with its own address',
      async (backend) => {
        await connectNodes(backend);
        for (const from of nodes) {
          for (const [i, to] of nodes.entries()) {
            if (to !== from) expect(await ask(from, to)).toBe(`node${i} ${from.pod}`);
          }
        }
        const tunnelled = await nodes[0]?.machine.read('ip', 'route', 'get', nodes[1]?.pod ?? '');
        expect(tunnelled?.includes('coracle.1')).toBe(backend === 'vxlan');
      },
    );

    test('a large response fits into the tunnel', async () => {
      const size = await nodes[0]?.machine.read(
        'sh',
        '-c',
        `busybox ping -c 1 -W 2 -s 1400 ${nodes[2]?.pod} | grep -c 'bytes from'`,
      );
      expect(size).toBe('1');
    });
  },
);
