import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Address, type StoreChoice, startCluster, writeKubeconfig } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { untilSignal } from '../signals.js';

interface UpFlags {
  readonly dataDir: string;
  readonly listen: Address;
  readonly kubeconfig?: string;
  readonly store: 'lmdb' | 'memory' | 'etcd';
  readonly etcdServers?: readonly string[];
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly nodes: number;
  readonly tokenAuthFile?: string;
  readonly authorizationMode: readonly string[];
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly serviceAccountIssuer?: string;
  readonly serviceClusterIpRange?: readonly string[];
  readonly serviceNodePortRange?: string;
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  readonly certDir?: string;
  readonly history?: number;
  readonly logLevel: LogLevel;
}

const examples = `
Examples:
  coracle up                                       a cluster with one simulated node, kept in ~/.coracle/default
  coracle up --nodes 100 --store memory            a hundred nodes, and nothing kept
  coracle up --nodes 0 --listen 127.0.0.1:0        a control plane alone, on a free port
  coracle up --store etcd --etcd-servers http://127.0.0.1:2379
`;

export function upCommand(): Command {
  return new Command('up')
    .description('run a whole cluster in the foreground until SIGINT or SIGTERM')
    .option(
      '--data-dir <dir>',
      'everything it keeps: database, keys, kubeconfig',
      join(homedir(), '.coracle', 'default'),
    )
    .option('--listen <host:port>', "the API server's address; port 0 takes a free one", parseAddress, {
      host: '127.0.0.1',
      port: 6443,
    })
    .option('--kubeconfig <file>', "where the administrator's kubeconfig is written (default: DIR/admin.kubeconfig)")
    .addOption(
      new Option('--store <kind>', 'where objects are kept').choices(['lmdb', 'memory', 'etcd']).default('lmdb'),
    )
    .option('--etcd-servers <urls>', 'of the etcd cluster, separated by commas', parseList)
    .option('--etcd-cafile <file>', 'the authority that signed the certificates of etcd')
    .option('--etcd-certfile <file>', 'the certificate to show to etcd')
    .option('--etcd-keyfile <file>', 'its key')
    .option('--nodes <n>', 'simulated nodes; 0 for a control plane alone', parseCount, 1)
    .option('--token-auth-file <file>', 'static tokens, a line each: token,user,uid,"group1,group2"')
    .option('--authorization-mode <list>', 'in the order in which they are asked', parseList, ['RBAC'])
    .option('--enable-admission-plugins <list>', 'beyond those that are on by default', parseList)
    .option('--disable-admission-plugins <list>', 'of those that are on by default', parseList)
    .option('--service-cluster-ip-range <list>', 'of the addresses of services, one for each family', parseList)
    .option('--service-node-port-range <range>', 'of the ports of nodes that services get, such as 30000-32767')
    .option('--service-account-issuer <url>', 'of service account tokens')
    .option('--runtime-config <list>', 'API versions to switch on or off: group/version=true,…', parseSwitches)
    .option('--cert-dir <dir>', 'keys and certificates (default: DIR/pki)')
    .option('--history <seconds>', 'how much of the past the store keeps at least', parseCount)
    .addOption(
      new Option('--log-level <level>', 'what is written to standard error')
        .choices(['error', 'info', 'debug'])
        .default('error'),
    )
    .addHelpText('after', examples)
    .action(up);
}

async function up(flags: UpFlags): Promise<void> {
  const startedAt = performance.now();
  const dataDir = resolve(flags.dataDir);
  const staticTokens = flags.tokenAuthFile === undefined ? undefined : await readFile(flags.tokenAuthFile, 'utf8');
  const cluster = await startCluster({
    dataDir,
    listen: flags.listen,
    store: await storeChoice(flags, dataDir),
    authorizationModes: flags.authorizationMode,
    admission: { enable: flags.enableAdmissionPlugins ?? [], disable: flags.disableAdmissionPlugins ?? [] },
    logger: createStderrLogger({ level: flags.logLevel }),
    ...(staticTokens !== undefined && { staticTokens }),
    serviceRanges: {
      ...(flags.serviceClusterIpRange && { clusterIpRanges: flags.serviceClusterIpRange }),
      ...(flags.serviceNodePortRange && { nodePortRange: flags.serviceNodePortRange }),
    },
    ...(flags.serviceAccountIssuer && { issuer: flags.serviceAccountIssuer }),
    ...(flags.runtimeConfig && { runtimeConfig: flags.runtimeConfig }),
    ...(flags.certDir && { certDir: resolve(flags.certDir) }),
    ...(flags.history !== undefined && { historyMs: flags.history * 1000 }),
  });
  try {
    const kubeconfig = resolve(flags.kubeconfig ?? join(dataDir, 'admin.kubeconfig'));
    await writeKubeconfig(kubeconfig, cluster.kubeconfig);
    // Counted from the start of the process, which is what a person waits for.
    const tookMs = Math.round(performance.now());
    process.stdout.write(
      `coracle is ready at ${cluster.url} after ${tookMs} ms (${Math.round(tookMs - startedAt)} ms of them its own)\n`,
    );
    process.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
    await untilSignal();
  } finally {
    await cluster.stop();
  }
}

async function storeChoice(flags: UpFlags, dataDir: string): Promise<StoreChoice> {
  if (flags.store === 'memory') return { kind: 'memory' };
  if (flags.store === 'lmdb') return { kind: 'lmdb', dataDir };
  if (!flags.etcdServers?.length) throw new Error('--store etcd needs --etcd-servers URL,URL');
  const { etcdCafile, etcdCertfile, etcdKeyfile } = flags;
  const [ca, certificate, key] = await Promise.all(
    [etcdCafile, etcdCertfile, etcdKeyfile].map((file) => file && readFile(file)),
  );
  const tls = { ...(ca && { ca }), ...(certificate && { certificate }), ...(key && { key }) };
  return { kind: 'etcd', endpoints: flags.etcdServers, ...(Object.keys(tls).length > 0 && { tls }) };
}

function parseAddress(text: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535)
    throw new InvalidArgumentError('it must be HOST:PORT, such as 127.0.0.1:6443 or [::1]:6443');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

function parseList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('it must be a whole number');
  return Number(text);
}

function parseSwitches(text: string): Record<string, boolean> {
  return Object.fromEntries(
    parseList(text).map((one) => {
      const [name = '', value = 'true'] = one.split('=');
      if (value !== 'true' && value !== 'false') throw new InvalidArgumentError(`${one}: true or false`);
      return [name, value === 'true'];
    }),
  );
}
