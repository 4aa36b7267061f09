import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CniRunner, nodeNetworkConfig, parseNetworkConfig } from '@coracle/cni';
import { installPlugin, pluginProcesses, resultCacheFiles } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeMachines, connect, Machine } from './machines.js';

const bundle = fileURLToPath(new URL('../../../apps/coracle/dist/coracle-cni.cjs', import.meta.url));
const reference = ['/usr/lib/cni', '/opt/cni/bin'].find((folder) => existsSync(join(folder, 'bridge')));

/** Plugins of a folder, run in the namespace of the node. */
function pluginsOn(node: Machine, from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) {
    const script = join(to, name);
    writeFileSync(script, `#!/bin/sh\nexec nsenter --net=${node.netns} ${join(from, name)}\n`);
    chmodSync(script, 0o755);
  }
}

describe.skipIf(!canMakeMachines)('coracle-cni on a network namespace as the node', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-cni-'));
  const dataDir = join(folder, 'leases');
  const config = (more: object = {}) =>
    parseNetworkConfig(
      JSON.stringify({
        ...nodeNetworkConfig({
          podCidrs: ['10.244.1.0/24', 'fd00:244:1::/64'],
          clusterCidrs: ['10.244.0.0/16', 'fd00:244::/32'],
          mtu: 1500,
          dataDir,
        }),
        ...more,
      }),
      'coracle.conflist',
    );
  let node: Machine;
  let outside: Machine;
  let runner: CniRunner;
  const pods: Machine[] = [];
  const attach = async (capabilities: Record<string, never> | object = {}) => {
    const pod = await Machine.make(`pod${pods.length}`);
    pods.push(pod);
    const attachment = { containerId: pod.name, netns: pod.netns, ifName: 'eth0', capabilities: { ...capabilities } };
    const result = await runner.add(config(), attachment);
    const [four = '', six = ''] = (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '');
    return { pod, attachment, result, four, six };
  };

  beforeAll(async () => {
    node = await Machine.make('node');
    outside = await Machine.make('outside');
    await connect(
      { machine: node, device: 'eth0', addresses: ['192.0.2.1/24', 'fd00:2::1/64'] },
      { machine: outside, device: 'eth0', addresses: ['192.0.2.9/24', 'fd00:2::9/64'] },
    );
    await installPlugin({ bundle, folder: join(folder, 'real'), names: ['coracle-cni', 'loopback'] });
    pluginsOn(node, join(folder, 'real'), join(folder, 'bin'), ['coracle-cni', 'loopback']);
    runner = new CniRunner({
      runPlugin: pluginProcesses({ path: [join(folder, 'bin')] }),
      cache: resultCacheFiles(join(folder, 'cache')),
    });
  });
  afterAll(async () => {
    for (const machine of [...pods, outside, node]) await machine?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('pods of a node reach each other, the node and external addresses, on both families', async () => {
    const a = await attach();
    const b = await attach();
    await b.pod.serve('b', 8080);
    await outside.serve('outside', 8080);
    expect(await a.pod.fetch(b.four, 8080)).toBe(`b ${a.four}`);
    expect(await a.pod.fetch(b.six, 8080)).toBe(`b ${a.six}`);
    expect(await node.fetch(b.four, 8080)).toBe('b 10.244.1.1');
    // Masqueraded: the world outside has no route to pods.
    expect(await a.pod.fetch('192.0.2.9', 8080)).toBe('outside 192.0.2.1');
    expect(await a.pod.fetch('fd00:2::9', 8080)).toBe('outside fd00:2::1');
    await runner.check(config(), a.attachment);
  });

  test('CHECK reports missing parts', async () => {
    const { pod, attachment } = await attach();
    await pod.ip('route del default');
    await expect(runner.check(config(), attachment)).rejects.toThrow('route 0.0.0.0/0 is missing');
    await pod.ip('link del eth0');
    await expect(runner.check(config(), attachment)).rejects.toThrow(/is missing/);
  });

  test('host ports lead to the pod from outside, from the node and from the pod itself, until DEL', async () => {
    const portMappings = [{ hostPort: 18080, containerPort: 8080, protocol: 'tcp' }];
    const { pod, attachment, four } = await attach({ portMappings });
    await pod.serve('ported', 8080);
    expect(await outside.fetch('192.0.2.1', 18080)).toBe('ported 192.0.2.9');
    expect(await outside.fetch('fd00:2::1', 18080)).toBe('ported fd00:2::9');
    expect(await node.fetch('192.0.2.1', 18080)).toMatch(/^ported /);
    expect(await node.fetch('127.0.0.1', 18080)).toMatch(/^ported /);
    expect(await pod.fetch('192.0.2.1', 18080)).toMatch(/^ported /);
    await runner.del(config(), attachment);
    expect(await outside.fetch('192.0.2.1', 18080)).toMatch(/Failed to connect/);
    expect(await node.read('nft', 'list', 'table', 'inet', 'coracle-cni')).not.toContain(four);
  });

  test('bandwidth is limited in both directions', async () => {
    const bandwidth = { ingressRate: 8_000_000, ingressBurst: 800_000, egressRate: 4_000_000, egressBurst: 400_000 };
    const { pod, result, four, attachment } = await attach({ bandwidth });
    expect(await pod.read('tc', 'qdisc', 'show', 'dev', 'eth0')).toContain('rate 4Mbit');
    const device = result.interfaces?.[1]?.name ?? '';
    expect(await node.read('tc', 'qdisc', 'show', 'dev', device)).toContain('rate 8Mbit');
    // A privileged container removes the limit of its own end, but the node still limits it.
    await pod.read('tc', 'qdisc', 'del', 'dev', 'eth0', 'root');
    expect(await node.read('nft', 'list', 'chain', 'netdev', 'coracle-cni', device)).toContain('limit rate over');
    await pod.serve('limited', 8080);
    expect(await node.fetch(four, 8080, 10)).toMatch(/^limited /);
    await runner.del(config(), attachment);
    expect(await node.read('nft', 'list', 'table', 'netdev', 'coracle-cni')).not.toContain(device);
  });

  test('concurrent pods get distinct addresses; DEL releases all of them', async () => {
    const many = await Promise.all(Array.from({ length: 6 }, () => attach()));
    expect(new Set(many.map(({ four }) => four)).size).toBe(6);
    await Promise.all(pods.map((pod) => runner.del(config(), { containerId: pod.name, ifName: 'eth0' })));
    expect(readdirSync(join(dataDir, 'coracle/addresses'))).toEqual([]);
    expect(await node.read('ip', '-br', 'link')).not.toContain('veth');
  });

  test('the loopback interface is brought up', async () => {
    const pod = await Machine.make('lo');
    pods.push(pod);
    await pod.ip('link set lo down');
    const lo = parseNetworkConfig('{"cniVersion":"1.0.0","name":"lo","type":"loopback"}', 'lo.conf');
    await runner.add(lo, { containerId: 'lo', netns: pod.netns, ifName: 'lo' });
    expect(await pod.read('ip', '-br', 'link', 'show', 'lo')).toContain('UNKNOWN');
  });

  test.skipIf(!reference)('the runner drives a chain of the reference plugins', async () => {
    const names = ['bridge', 'host-local', 'portmap', 'tuning'];
    const bin = join(folder, 'reference');
    pluginsOn(
      node,
      reference ?? '',
      bin,
      names.filter((name) => name !== 'host-local'),
    );
    // The bridge plugin starts it in its own namespace.
    spawnSync('ln', ['-s', join(reference ?? '', 'host-local'), join(bin, 'host-local')]);
    const chain = config({
      name: 'debian',
      plugins: [
        {
          type: 'bridge',
          bridge: 'deb0',
          isGateway: true,
          ipam: { type: 'host-local', dataDir, ranges: [[{ subnet: '10.245.0.0/24' }]] },
        },
        { type: 'tuning', sysctl: { 'net.core.somaxconn': '500' } },
      ],
    });
    const reference2 = new CniRunner({
      runPlugin: pluginProcesses({ path: [bin] }),
      cache: resultCacheFiles(join(folder, 'cache')),
    });
    const pod = await Machine.make('ref');
    pods.push(pod);
    const attachment = { containerId: 'ref', netns: pod.netns, ifName: 'eth0' };
    const result = await reference2.add(chain, attachment);
    expect(result.ips?.[0]?.address).toBe('10.245.0.2/24');
    await reference2.check(chain, attachment);
    await reference2.del(chain, attachment);
    await expect(pod.read('ip', 'link', 'show', 'eth0')).rejects.toThrow(/does not exist/);
  });
});
