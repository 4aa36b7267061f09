import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createAuthority } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox, TestContainerd, whyNoContainerd } from '../containerd/containerd.js';
import { isInstalled } from '../run.js';
import { program } from '../running-cluster.js';
import { canMakeMachines } from './machines.js';

const skipped = whyNoContainerd() !== undefined || !canMakeMachines || !isInstalled('kubectl', ['version', '--client']);

describe.skipIf(skipped)('coracle up on a machine with containerd: pods, services, names and policies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-real-node-'));
  const [conf, bin, data] = ['conf', 'bin', 'data'].map((name) => join(folder, name)) as [string, string, string];
  let containerd: TestContainerd;
  let coracle: ChildProcess | undefined;

  async function start(): Promise<void> {
    const flags = ['--runtime', 'cri', '--cri-endpoint', containerd.endpoint, '--cgroup-root', containerd.cgroupRoot];
    const node = ['--hostname-override', 'node1', '--node-ip', '192.0.2.1', '--advertise-address', '192.0.2.1'];
    const args = [program, 'up', ...flags, ...node, '--listen', '0.0.0.0:6443', '--data-dir', data, '--clean'];
    const child = spawn(...containerd.insideArguments(process.execPath, args), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    coracle = child;
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    for (let i = 0; i < 300 && !printed.includes('is ready'); i++) await wait(100);
    expect(printed).toContain('is ready');
  }
  async function stop(signal: NodeJS.Signals): Promise<void> {
    const child = coracle;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
  const kubectl = async (...args: string[]) => {
    const input = args.at(-1)?.startsWith('{') ? args.pop() : undefined;
    const all = ['--kubeconfig', join(data, 'admin.kubeconfig'), ...args];
    const { stdout, stderr } = await containerd.inside('kubectl', all, { timeoutMs: 60_000, ...(input && { input }) });
    return (stdout + stderr).trim();
  };
  async function until(wanted: RegExp, ask: () => Promise<string>, seconds = 20): Promise<void> {
    let answer = '';
    for (let i = 0; i < seconds * 4; i++) {
      answer = await ask();
      if (wanted.test(answer)) return;
      await wait(250);
    }
    expect(answer).toMatch(wanted);
  }
  const ask = (pod: string, address: string, port = 80) =>
    kubectl(
      'exec',
      pod,
      '--',
      'sh',
      '-c',
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} ${port} | tail -n 1`,
    );

  beforeAll(async () => {
    for (const one of [conf, bin]) mkdirSync(one, { recursive: true });
    containerd = await TestContainerd.start({ cniConfigFolder: conf, cniPluginFolder: bin });
    await containerd.inside('ip', ['link', 'add', 'eth0', 'type', 'bridge']);
    await containerd.inside('ip', ['addr', 'add', '192.0.2.1/24', 'dev', 'eth0']);
    await containerd.inside('ip', ['link', 'set', 'eth0', 'up']);
    await start();
    const serve = 'mkdir -p /tmp/w; hostname > /tmp/w/index.html; httpd -p 8080 -h /tmp/w; exec sleep 3600';
    const image = `--image=${busybox}`;
    await kubectl('run', 'web', image, '--labels=app=web', '--port=8080', '--command', '--', 'sh', '-c', serve);
    await kubectl('run', 'client', image, '--command', '--', 'sleep', '3600');
    await kubectl('expose', 'pod', 'web', '--port=80', '--target-port=8080', '--type=NodePort');
    await kubectl('wait', '--for=condition=Ready', 'pod/web', 'pod/client', '--timeout=60s');
  }, 120_000);
  afterAll(async () => {
    await stop('SIGKILL');
    await containerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a service by its address, its name and its node port; the API server by its service', async () => {
    const address = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    const port = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].nodePort}');
    await until(/^web$/, () => ask('client', address));
    await until(/^web$/, () => ask('web', address));
    await until(/^web$/, () => ask('client', '192.0.2.1', Number(port)));
    const fromNode = await containerd.inside('curl', ['-s', '-m', '2', `http://${address}/`]);
    expect(fromNode.stdout.trim()).toBe('web');
    await until(new RegExp(address), () =>
      kubectl('exec', 'client', '--', 'nslookup', 'web.default.svc.cluster.local'),
    );
    expect(await kubectl('exec', 'client', '--', 'cat', '/etc/resolv.conf')).toContain('nameserver 10.96.0.10');
  }, 60_000);

  test('an Ingress by HTTP and HTTPS, from the node and from a pod, and a route that changes', async () => {
    const { certificate, key } = await createAuthority('shop.example.com', {
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
    });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'shop' },
      stringData: { 'tls.crt': certificate, 'tls.key': key },
    };
    const ingress = (path: string) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'shop' },
      spec: {
        ingressClassName: 'coracle',
        tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
        rules: [
          {
            host: 'shop.example.com',
            http: {
              paths: [{ path, pathType: 'Exact', backend: { service: { name: 'web', port: { number: 80 } } } }],
            },
          },
        ],
      },
    });
    await kubectl('apply', '-f', '-', JSON.stringify(secret));
    await kubectl('apply', '-f', '-', JSON.stringify(ingress('/')));
    await until(/^192\.0\.2\.1$/, () =>
      kubectl('get', 'ingress', 'shop', '-o', 'jsonpath={.status.loadBalancer.ingress[0].ip}'),
    );
    const curl = async (url: string, ...more: string[]) => {
      const resolve = ['80', '443'].flatMap((port) => ['--resolve', `shop.example.com:${port}:192.0.2.1`]);
      return (await containerd.inside('curl', ['-sk', '-m', '5', ...resolve, ...more, url])).stdout.trim();
    };
    const version = ['-o', '/dev/null', '-w', '%{http_version} %{http_code} %{ssl_verify_result}'];
    expect(await curl('http://shop.example.com/')).toBe('web');
    expect(await curl('https://shop.example.com/')).toBe('web');
    expect(await curl('https://shop.example.com/', ...version)).toMatch(/^2 200 /);
    expect(await curl('http://shop.example.com/other', ...version)).toMatch(/^1.1 404/);
    await until(/^web$/, () =>
      kubectl(
        'exec',
        'client',
        '--',
        'sh',
        '-c',
        "printf 'GET / HTTP/1.0\\r\\nhost: shop.example.com\\r\\n\\r\\n' | nc -w 2 192.0.2.1 80 | tail -n 1",
      ),
    );
    await kubectl('apply', '-f', '-', JSON.stringify(ingress('/index.html')));
    await until(/^web$/, () => curl('http://shop.example.com/index.html'));
    await kubectl('delete', 'ingress', 'shop');
    await until(/^000$/, () => curl('http://shop.example.com/', '-o', '/dev/null', '-w', '%{http_code}'));
  }, 90_000);

  test('a policy holds between pods of the node', async () => {
    const address = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.status.podIP}');
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'deny' },
      spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
    };
    expect(await ask('client', address, 8080)).toBe('web');
    await kubectl('apply', '-f', '-', JSON.stringify(policy));
    await until(/^(?!web)/, () => ask('client', address, 8080));
    await kubectl('delete', 'networkpolicy', 'deny');
    await until(/^web$/, () => ask('client', address, 8080));
  }, 60_000);

  test('services go on while the process is dead, it comes back to them, and leaves nothing at the end', async () => {
    const address = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    const curl = async () => (await containerd.inside('curl', ['-s', '-m', '2', `http://${address}/`])).stdout.trim();
    await stop('SIGKILL');
    expect(await curl()).toBe('web');
    await start();
    expect(await curl()).toBe('web');
    await kubectl('delete', 'pod', 'web', 'client', '--grace-period=1');
    await stop('SIGTERM');
    expect((await containerd.inside('nft', ['list', 'tables'])).stdout.trim()).toBe('');
    expect((await containerd.inside('ip', ['-br', 'link'])).stdout).not.toMatch(/coracle|veth/);
    expect(readdirSync(conf)).toEqual([]);
  }, 90_000);
});
