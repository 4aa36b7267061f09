import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled, run } from '../run.js';
import { program } from '../running-cluster.js';
import { canMakeMachines } from './machines.js';
import { NodeNetwork, type Pod } from './node-network.js';

const skipped = !canMakeMachines || !isInstalled('kubectl', ['version', '--client']);

describe.skipIf(skipped)('coracle proxy as a process of its own', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-proxy-'));
  const kubeconfig = join(folder, 'data', 'admin.kubeconfig');
  let network: NodeNetwork;
  let a: Pod;
  let b: Pod;
  let client: Pod;

  beforeAll(async () => {
    network = await NodeNetwork.make();
    [a, b, client] = [await network.pod('a'), await network.pod('b'), await network.pod('client')];
    const flags = ['--nodes', '0', '--store', 'memory', '--data-dir', join(folder, 'data')];
    await network.node.start(process.execPath, program, 'up', '--listen', '127.0.0.1:6443', ...flags);
    for (let i = 0; i < 300 && (await kubectl('get', '--raw', '/readyz')) !== 'ok'; i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }, 120_000);
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function kubectl(...args: string[]): Promise<string> {
    const input = args.at(-1)?.startsWith('{') ? args.pop() : undefined;
    const all = [`--net=${network.node.netns}`, 'kubectl', '--kubeconfig', kubeconfig, ...args];
    const { stdout } = await run('nsenter', all, { timeoutMs: 30_000, ...(input && { input }) });
    return stdout.trim();
  }
  const apply = (...items: object[]) =>
    kubectl('apply', '-f', '-', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const service = (name: string, spec = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
  const slice = (name: string, ...pods: Pod[]) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: 8080, name: '' }],
    endpoints: pods.map(({ four }) => ({ addresses: [four] })),
  });
  const addressOf = (name: string) => kubectl('get', 'svc', name, '-o', 'jsonpath={.spec.clusterIP}');
  const nodePortOf = (name: string) => kubectl('get', 'svc', name, '-o', 'jsonpath={.spec.ports[0].nodePort}');

  /** Resolves when the process has reported that it is ready. */
  function startProxy(config: object = {}): Promise<ChildProcess> {
    const file = join(folder, 'proxy.yaml');
    const head = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };
    const usual = { clusterCIDR: '10.244.0.0/16', hostnameOverride: 'node', clientConnection: { kubeconfig } };
    writeFileSync(file, JSON.stringify({ ...head, ...usual, ...config }));
    return network.node.start(process.execPath, program, 'proxy', '--config', file);
  }
  async function kill(proxy: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    const ended = once(proxy, 'exit');
    // What is started is `nsenter`, which becomes the program.
    proxy.kill(signal);
    await ended;
  }
  const page = (port: number, path: string) =>
    network.node.read('curl', '-s', '-m', '10', `http://127.0.0.1:${port}${path}`);

  test('killed while services change, it corrects the kernel when it restarts', async () => {
    await apply(service('stays'), slice('stays', a), service('goes'), slice('goes', a));
    const [stays, goes] = [await addressOf('stays'), await addressOf('goes')];
    const first = await startProxy();
    expect(await client.machine.fetch(stays, 80, 10)).toMatch(/^a /);
    expect(await client.machine.fetch(goes, 80, 10)).toMatch(/^a /);
    await apply(slice('stays', a, b));
    await kill(first, 'SIGKILL');
    expect(await client.machine.fetch(stays, 80, 10)).toMatch(/^[ab] /);

    await apply(slice('stays', b), service('comes'), slice('comes', b));
    await kubectl('delete', 'service', 'goes');
    const comes = await addressOf('comes');
    const began = performance.now();
    const second = await startProxy();
    const took = performance.now() - began;
    process.stdout.write(`the kernel was right ${took.toFixed(0)} ms after a killed proxy was started again\n`);
    // From here on nothing is awaited.
    const [elements] = await Promise.all([network.node.read('nft', 'list', 'map', 'ip', 'coracle-proxy', 'endpoints')]);
    expect(elements).toContain(b.four);
    expect(elements).not.toContain(a.four);
    expect(await client.machine.fetch(stays, 80, 10)).toMatch(/^b /);
    expect(await client.machine.fetch(comes, 80, 10)).toMatch(/^b /);
    expect(await client.machine.fetch(goes, 80, 2)).toMatch(/^curl/);
    await kill(second, 'SIGTERM');
  });

  test('its pages, and node ports on every address of the node, loopback too', async () => {
    await apply(service('ports', { type: 'NodePort' }), slice('ports', a));
    const port = await nodePortOf('ports');
    const proxy = await startProxy();
    expect(await page(10_249, '/proxyMode')).toBe('nftables');
    expect(await page(10_249, '/metrics')).toContain('kubeproxy_sync_proxy_rules_duration_seconds_count');
    expect(JSON.parse(await page(10_249, '/configz'))['kubeproxy.config.k8s.io']).toMatchObject({ mode: 'nftables' });
    expect(JSON.parse(await page(10_256, '/healthz'))).toMatchObject({ nodeEligible: true });
    expect(await network.outside.fetch('192.0.2.1', port, 10)).toMatch(/^a /);
    expect(await network.node.fetch('127.0.0.1', port, 10)).toMatch(/^a /);
    expect(await network.node.fetch('localhost', port, 10)).toMatch(/^a /);
    await kill(proxy, 'SIGTERM');
  });

  test('in user space it serves node ports, and logs that', async () => {
    await apply(service('plain', { type: 'NodePort' }), slice('plain', a, b));
    const port = await nodePortOf('plain');
    await network.node.read('nft', 'flush', 'ruleset');
    const proxy = await startProxy({ mode: 'userspace' });
    expect(await page(10_249, '/proxyMode')).toBe('userspace');
    expect((await page(10_249, '/metrics')).length).toBeGreaterThan(0);
    expect(JSON.parse(await page(10_256, '/healthz'))).toMatchObject({ nodeEligible: true });
    const answers = new Set<string>();
    for (let i = 0; i < 30; i++) answers.add((await network.outside.fetch('192.0.2.1', port, 10)).split(' ')[0] ?? '');
    expect([...answers].sort()).toEqual(['a', 'b']);
    expect(await network.node.fetch('127.0.0.1', port, 10)).toMatch(/^[ab] /);
    expect(await network.node.read('nft', 'list', 'tables')).toBe('');
    await kubectl('delete', 'endpointslice', 'plain-1');
    let last = '';
    for (let i = 0; i < 100 && !/refused/i.test(last); i++) last = await network.outside.fetch('192.0.2.1', port, 10);
    expect(last).toMatch(/refused|Failed to connect|Couldn't connect/i);
    await kill(proxy, 'SIGTERM');
  });
});
