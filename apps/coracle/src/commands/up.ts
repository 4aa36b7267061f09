import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Address,
  addressPoolProblem,
  type ClusterOptions,
  chooseRuntime,
  loadSchedulerPlugins,
  type RuntimeChoice,
  readSchedulerConfiguration,
  statedProcessFields,
} from '@coracle/cluster';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  addControllerFlags,
  type ControllerFlags,
  controllerBehaviour,
  nodeIpamSettings,
} from '../flags/controller-manager-flags.js';
import { groupFlags } from '../flags/flag-sections.js';
import { flagTexts } from '../flags/flag-texts.js';
import {
  booleanFlag,
  collect,
  parseAddress,
  parseBoolean,
  parseCount,
  parseList,
  parsePort,
} from '../flags/flag-values.js';
import { type ConfiguredNode, defaultCriEndpoint, readConfiguredNode } from '../flags/kubelet-configuration.js';
import { addNetworkFlags, type NetworkFlags, networkOf } from '../flags/network-flags.js';
import { checkPemFiles } from '../flags/pem-files.js';
import { addPrometheusFlags, type PrometheusFlags, prometheusOptions } from '../flags/prometheus-flags.js';
import { sayUnused } from '../flags/scheduler-configuration.js';
import { addServerFlags, clusterOptions, kubeconfigFile, type ServerFlags } from '../flags/server-flags.js';
import { runCluster } from '../run-cluster.js';

interface UpFlags
  extends ServerFlags,
    ControllerFlags,
    PrometheusFlags,
    Pick<
      NetworkFlags,
      | 'network'
      | 'clusterCidr'
      | 'networkBackend'
      | 'clusterDomain'
      | 'dnsUpstream'
      | 'stubDomain'
      | 'ingressHttpPort'
      | 'ingressHttpsPort'
      | 'clean'
    > {
  readonly allocateNodeCidrs: boolean;
  readonly metricsServer?: boolean;
  readonly loadBalancerPool?: readonly string[];
  readonly config?: string;
  readonly plugin: readonly string[];
  readonly listen: Address;
  readonly bindAddress?: string;
  readonly securePort?: number;
  readonly nodes: number;
  readonly stages: readonly string[];
  readonly runtime: RuntimeChoice;
  readonly criEndpoint?: string;
  readonly kubeletConfig?: string;
  readonly rootDir?: string;
  readonly cgroupRoot?: string;
  readonly hostnameOverride?: string;
  readonly nodeIp?: readonly string[];
  readonly dashboard: Address | false;
}

/** Machines that join are reached by their addresses: DNS need not have their names. */
const addressTypes = ['InternalIP', 'ExternalIP', 'Hostname'];

const examples = `
Examples:
  coracle up                                       a cluster with one simulated node, stored in ~/.coracle/default
  coracle up --nodes 100 --store memory            a hundred nodes, in memory
  coracle up --runtime cri                         this machine as a node, with containerd
  coracle up --nodes 0 --listen 127.0.0.1:0        a control plane alone, on a free port
  coracle up --store etcd --etcd-servers http://127.0.0.1:2379
`;

/** `coracle up`: everything in one process. */
export function upCommand(): Command {
  const command = new Command('up').description('run a whole cluster in the foreground until SIGINT or SIGTERM');
  addServerFlags(command)
    .addOption(
      new Option('--listen <host:port>', 'address of the API server; port 0 takes a free one')
        .argParser(parseAddress)
        .default({ host: '127.0.0.1', port: 6443 }, '127.0.0.1:6443'),
    )
    .option('--bind-address <address>', 'host of --listen')
    .option('--secure-port <port>', 'port of --listen', parsePort);
  addNodeFlags(command);
  addPrometheusFlags(addSchedulerFlags(addControllerFlags(command)));
  addNetworkFlags(command)
    .addOption(booleanFlag('allocate-node-cidrs', 'allocate pod CIDRs of nodes from --cluster-cidr', false))
    .option(
      '--metrics-server [bool]',
      'serve metrics.k8s.io from the statistics of kubelets (default: true if there are nodes)',
      parseBoolean,
    )
    .option(
      '--load-balancer-pool <list>',
      'CIDRs and IP ranges for services of type LoadBalancer, such as 192.0.2.0/28',
      parsePool,
    )
    .addOption(dashboardFlag())
    .addHelpText('after', examples)
    .action(async (flags: UpFlags, command: Command) => {
      const options = {
        ...(await clusterOptions({ kubeletPreferredAddressTypes: addressTypes, ...flags })),
        flags: flagTexts(command),
      };
      await checkPemFiles(flags);
      const { listen, bindAddress: host = listen.host, securePort: port = listen.port } = flags;
      const nodes = await nodesOf(flags);
      await runCluster(
        {
          ...options,
          ...nodes,
          stages: await stagesOf(flags.stages),
          ...controllerOptions(flags),
          scheduler: await schedulerOptions(flags),
          ...(await prometheusOptions(flags)),
          listen: { host, port },
          dashboard: flags.dashboard || undefined,
        },
        kubeconfigFile(flags),
      );
    });
  return groupFlags(command);
}

/** The nodes, and the runtime of their containers. */
function addNodeFlags(command: Command): Command {
  return command
    .option(
      '--nodes <n>',
      'nodes in this process, the first of them on --runtime; 0 for a control plane alone',
      parseCount,
      1,
    )
    .option('--stages <file>', 'KWOK Stage objects for pods or nodes of simulated nodes; may be repeated', collect, [])
    .addOption(
      new Option(
        '--runtime <kind>',
        'container runtime of the first node; auto uses the CRI endpoint if it answers, else simulated',
      )
        .choices(['auto', 'simulated', 'cri', 'engine'])
        .default('auto'),
    )
    .option('--cri-endpoint <url>', `CRI endpoint of the container runtime (default: ${defaultCriEndpoint})`)
    .option('--kubelet-config <file>', 'KubeletConfiguration file of the node on this machine; flags take precedence')
    .option('--root-dir <dir>', 'root directory of the kubelet (default: DIR/kubelet)')
    .option('--cgroup-root <path>', 'parent cgroup of all pods (default: /)')
    .option('--hostname-override <name>', 'node name (default: the host name)')
    .option('--node-ip <list>', 'node IP addresses (default: the first one of the machine)', parseList);
}

function addSchedulerFlags(command: Command): Command {
  return command
    .option('--config <file>', 'KubeSchedulerConfiguration file of the scheduler')
    .option('--plugin <file>', 'module with a scheduler plugin; may be repeated', collect, [] as readonly string[]);
}

async function schedulerOptions({ config, plugin }: UpFlags): Promise<NonNullable<ClusterOptions['scheduler']>> {
  const configuration = await readSchedulerConfiguration(config);
  // The scheduler runs in this process, and is the only one.
  sayUnused(statedProcessFields(configuration));
  return {
    configuration,
    extraPlugins: await loadSchedulerPlugins(plugin),
  };
}

function controllerOptions(
  flags: UpFlags,
): Pick<ClusterOptions, 'controllerManager' | 'nodeIpam' | 'metricsServer' | 'loadBalancer'> {
  const { metricsServer, loadBalancerPool: pool } = flags;
  const { nodeIpam } = nodeIpamSettings({ ...flags, nodeCidrMaskSizeIpv4: 24, nodeCidrMaskSizeIpv6: 64 });
  return {
    controllerManager: controllerBehaviour(flags),
    ...(nodeIpam && { nodeIpam }),
    ...(metricsServer !== undefined && { metricsServer }),
    ...(pool && { loadBalancer: { pool } }),
  };
}

function dashboardFlag(): Option {
  return new Option('--dashboard <host:port>', 'loopback address of the dashboard, or false for none')
    .argParser(parseDashboard)
    .default({ host: '127.0.0.1', port: 0 }, '127.0.0.1:0');
}

/** The page has the administrator's credentials: it is for people on this machine. */
function parseDashboard(text: string): Address | false {
  if (text === 'false') return false;
  const address = parseAddress(text);
  if (!/^(127\.|::1$|localhost$)/.test(address.host)) throw new InvalidArgumentError('it must be a loopback address');
  return address;
}

function parsePool(text: string): readonly string[] {
  const pool = parseList(text);
  const problem = addressPoolProblem(pool);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return pool;
}

async function stagesOf(files: readonly string[]): Promise<NonNullable<ClusterOptions['stages']>> {
  return Promise.all(files.map(async (name) => ({ name, text: await readFile(name, 'utf8') })));
}

/** The first node is this machine, if a container runtime was requested or found; all others are simulated. */
async function nodesOf(flags: UpFlags): Promise<Pick<ClusterOptions, 'nodes' | 'realNode'>> {
  const { nodes, runtime, kubeletConfig } = flags;
  const configured = await readConfiguredNode(kubeletConfig);
  if (nodes === 0) return { nodes };
  const criEndpoint = flags.criEndpoint ?? configured.criEndpoint ?? defaultCriEndpoint;
  const { kind, description } = await chooseRuntime(runtime, criEndpoint);
  process.stderr.write(`coracle: containers of the first node: ${description}\n`);
  if (kind === 'simulated') {
    if (kubeletConfig) process.stderr.write('coracle: --kubelet-config has no effect on simulated nodes\n');
    return { nodes };
  }
  const network = await networkOf(flags);
  const userSpaceProxy = flags.network !== 'none';
  const realNode = { ...configured, criEndpoint, ...ownNodeOf(flags, configured) };
  return { nodes: nodes - 1, realNode: { ...realNode, ...(network ? { network } : { userSpaceProxy }) } };
}

/** The node settings from the flags, which override its configuration. */
function ownNodeOf(flags: UpFlags, configured: ConfiguredNode): Partial<NonNullable<ClusterOptions['realNode']>> {
  const { rootDir, cgroupRoot, hostnameOverride, nodeIp, dataDir } = flags;
  return {
    rootDirectory: resolve(rootDir ?? join(dataDir, 'kubelet')),
    ...(hostnameOverride && { nodeName: hostnameOverride.toLowerCase() }),
    ...(nodeIp && { nodeIps: nodeIp }),
    settings: { podLogsDir: resolve(dataDir, 'pod-logs'), ...configured.settings, ...(cgroupRoot && { cgroupRoot }) },
  };
}
