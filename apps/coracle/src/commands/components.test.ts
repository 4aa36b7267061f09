import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@coracle/cluster';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { controllerManagerCommand, schedulerCommand } from './components.js';

let folder: string;
let cluster: Cluster;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-kubeadm-'));
  cluster = await startCluster({ nodes: 0, dataDir: folder, components: { controllers: false, scheduler: false } });
  await writeFile(join(folder, 'component.conf'), cluster.kubeconfig);
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The kube-controller-manager.yaml and kube-scheduler.yaml of kubeadm v1.36, with a range of pods. */
const conf = () => join(folder, 'component.conf');
const pki = (name: string) => join(folder, 'pki', name);
const controllerManager = () => [
  '--allocate-node-cidrs=true',
  `--authentication-kubeconfig=${conf()}`,
  `--authorization-kubeconfig=${conf()}`,
  '--bind-address=127.0.0.1',
  `--client-ca-file=${pki('ca.crt')}`,
  '--cluster-cidr=10.244.0.0/16',
  '--cluster-name=kubernetes',
  `--cluster-signing-cert-file=${pki('ca.crt')}`,
  `--cluster-signing-key-file=${pki('ca.key')}`,
  '--controllers=*,bootstrapsigner,tokencleaner',
  `--kubeconfig=${conf()}`,
  '--leader-elect=true',
  `--requestheader-client-ca-file=${pki('front-proxy-ca.crt')}`,
  `--root-ca-file=${pki('ca.crt')}`,
  `--service-account-private-key-file=${pki('sa.key')}`,
  '--service-cluster-ip-range=10.96.0.0/12',
  '--use-service-account-credentials=true',
];
const scheduler = () => [
  `--authentication-kubeconfig=${conf()}`,
  `--authorization-kubeconfig=${conf()}`,
  '--bind-address=127.0.0.1',
  `--kubeconfig=${conf()}`,
  '--leader-elect=true',
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

/** What waits for the end of this process. */
function listeners() {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  return signals.flatMap((signal) => process.listeners(signal).map((listener) => ({ signal, listener })));
}

/** Runs a command until what is given has been looked at. */
async function whileRunning(command: Command, args: readonly string[], look: (port: number) => Promise<void>) {
  const port = await freePort();
  const before = listeners();
  let written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  const started = new Promise<void>((resolve) => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => {
      resolve();
      return true;
    });
  });
  const ended = command.exitOverride().parseAsync([...args, `--secure-port=${port}`], { from: 'user' });
  try {
    await Promise.race([started, ended]);
    await look(port);
  } finally {
    vi.restoreAllMocks();
    const added = listeners().filter(({ listener }) => !before.some((one) => one.listener === listener));
    for (const { signal, listener } of added) process.off(signal, listener);
    added[0]?.listener(added[0].signal);
  }
  await ended;
  return written;
}

describe('the command lines of kubeadm', { timeout: 60_000 }, () => {
  test.each([
    [
      'controller-manager',
      controllerManagerCommand,
      controllerManager,
      /^coracle: without effect here: --cluster-name/,
    ],
    ['scheduler', schedulerCommand, scheduler, /^$/],
  ] as const)('START-10 start the %s', async (_name, command, args, idle) => {
    const written = await whileRunning(command(), args(), async (port) => {
      expect(await statusOf(port, '/healthz')).toBe(200);
      expect(await statusOf(port, '/metrics')).toBe(403);
    });
    expect(written).toMatch(idle);
  });
});

describe('flags of controller manager and scheduler', () => {
  const commands = [
    ['controller-manager', controllerManagerCommand],
    ['scheduler', schedulerCommand],
  ] as const;

  test.each(commands)('the %s refuses other locks than leases', (_name, command) => {
    const quiet = command()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    expect(() => quiet.parse(['--leader-elect-resource-lock=endpoints'], { from: 'user' })).toThrow(
      /'endpoints' is invalid. Allowed choices are leases/,
    );
  });

  test.each([
    ['--feature-gates=Nothing=true', /unrecognized feature gate: Nothing/],
    ['--tls-min-version=VersionTLS9', /TLS/],
    ['--tls-cipher-suites=AES', /Cipher suite AES not supported/],
    ['--tls-sni-cert-key=/a.crt', /expected comma separated certificate and key file paths/],
    ['--profiling=maybe', /it must be true or false/],
  ])('%s is refused', (argument, why) => {
    for (const [, command] of commands) {
      const quiet = command()
        .exitOverride()
        .configureOutput({ writeErr: () => {} });
      expect(() => quiet.parse([argument], { from: 'user' })).toThrow(why);
    }
  });
});
