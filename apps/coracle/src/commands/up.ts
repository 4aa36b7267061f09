import type { Address } from '@coracle/cluster';
import { Command, Option } from 'commander';
import { groupFlags } from '../flag-sections.js';
import { flagTexts } from '../flag-texts.js';
import { parseAddress, parseCount, parsePort } from '../flag-values.js';
import { runCluster } from '../run-cluster.js';
import { addServerFlags, clusterOptions, kubeconfigFile, type ServerFlags } from '../server-flags.js';

interface UpFlags extends ServerFlags {
  readonly listen: Address;
  readonly bindAddress?: string;
  readonly securePort?: number;
  readonly nodes: number;
  readonly runtime: string;
  readonly criEndpoint: string;
}

const examples = `
Examples:
  coracle up                                       a cluster with one simulated node, kept in ~/.coracle/default
  coracle up --nodes 100 --store memory            a hundred nodes, and nothing kept
  coracle up --nodes 0 --listen 127.0.0.1:0        a control plane alone, on a free port
  coracle up --store etcd --etcd-servers http://127.0.0.1:2379
`;

/** `coracle up`: everything in one process. */
export function upCommand(): Command {
  const command = new Command('up').description('run a whole cluster in the foreground until SIGINT or SIGTERM');
  addServerFlags(command)
    .addOption(
      new Option('--listen <host:port>', "the API server's address; port 0 takes a free one")
        .argParser(parseAddress)
        .default({ host: '127.0.0.1', port: 6443 }, '127.0.0.1:6443'),
    )
    .option('--bind-address <address>', 'the same as the host of --listen')
    .option('--secure-port <port>', 'the same as the port of --listen', parsePort)
    .option('--nodes <n>', 'simulated nodes; 0 for a control plane alone', parseCount, 1)
    .addOption(
      new Option('--runtime <kind>', 'what runs the containers of the first node; simulated is all there is so far')
        .choices(['auto', 'simulated', 'cri', 'engine'])
        .default('auto'),
    )
    .option('--cri-endpoint <url>', 'where a container runtime listens', 'unix:///run/containerd/containerd.sock')
    .addHelpText('after', examples)
    .action(async (flags: UpFlags, command: Command) => {
      checkRuntime(flags);
      const options = { ...(await clusterOptions(flags)), flags: flagTexts(command) };
      const { listen, bindAddress: host = listen.host, securePort: port = listen.port } = flags;
      await runCluster({ ...options, listen: { host, port }, nodes: flags.nodes }, kubeconfigFile(flags));
    });
  return groupFlags(command);
}

/** What was asked for by name must be there; what was not is chosen among what there is. */
function checkRuntime({ runtime, criEndpoint }: UpFlags): void {
  if (runtime === 'cri')
    throw new Error(
      `--runtime cri: no kubelet of ours can talk to ${criEndpoint} yet; nodes are simulated (--runtime simulated)`,
    );
  if (runtime === 'engine')
    throw new Error('--runtime engine: there is no engine of our own yet; nodes are simulated (--runtime simulated)');
}
