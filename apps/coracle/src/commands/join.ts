import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DisposableStack, type Logger } from '@coracle/base';
import {
  bootstrapNode,
  canConnectPods,
  checkBootstrapToken,
  credentialsIn,
  defaultNodeName,
  discoverCa,
  dnsAddresses,
  findPublishedNetwork,
  type PublishedNetwork,
  type RunKubeletOptions,
  rotateCertificate,
  runKubelet,
  runNodeNetwork,
} from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { collect } from '../flags/flag-values.js';
import { addKubeletFlags, type KubeletFlags, kubeletOptions } from '../flags/kubelet-flags.js';
import { untilSignal } from '../process/signals.js';

interface JoinFlags extends KubeletFlags {
  readonly server: string;
  readonly token: string;
  readonly caCertHash?: readonly string[];
  readonly network: 'auto' | 'none';
}

/** `coracle join`: this machine becomes a node of a cluster. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description('make this machine a node of a cluster; coracle token create prints the command')
    .requiredOption('--server <url>', 'URL of the API server')
    .requiredOption('--token <token>', 'bootstrap token of the cluster')
    .option(
      '--ca-cert-hash <hash>',
      "hash of the CA's public key, as sha256:…; may be repeated (default: any)",
      collect,
    )
    .addOption(
      new Option(
        '--network <kind>',
        'pod network and service proxy of this machine; auto takes part in the network of the cluster, and leaves pods to another CNI plugin that is configured',
      )
        .choices(['auto', 'none'])
        .default('auto'),
    );
  return addKubeletFlags(command).action(async (flags: JoinFlags) => {
    const askedToEnd = untilSignal();
    checkBootstrapToken(flags.token);
    const { rotateCertificates: _, ...options } = await kubeletOptions(flags);
    const nodeName = options.nodeName ?? defaultNodeName();
    const inRoot = credentialsIn(resolve(flags.rootDir));
    const credentials = { ...inRoot, ...(flags.certDir && { certDir: resolve(flags.certDir) }) };
    const { logger } = options;
    // A machine that has joined before continues with its existing credentials.
    if (!existsSync(credentials.kubeconfigFile)) {
      const { server, token, caCertHash = [] } = flags;
      const caCertificate = await discoverCa(server, caCertHash, logger);
      await bootstrapNode({ ...credentials, nodeName, server, caCertificate, token, logger });
    }
    using _rotation = rotateCertificate({ ...credentials, nodeName }, { clock: systemClock, logger });
    const joined = { ...options, nodeName, kubeconfig: credentials.kubeconfigFile };
    const network = flags.network === 'none' ? undefined : await networkOf(joined);
    await using parts = new DisposableStack();
    if (network)
      parts.use(await runNodeNetwork({ ...joined, network, leaseDir: join(resolve(flags.rootDir), 'pod-network') }));
    await using node = await runKubelet({ ...joined, settings: { ...dnsSettings(network), ...options.settings } });
    process.stdout.write(`this machine has joined as node ${node.name} on ${node.runtimeVersion}\n`);
    await askedToEnd;
    await node.end();
  });
}

/** The pod network to join; `undefined` if there is none, or this machine cannot, which is printed. */
async function networkOf(joined: { kubeconfig: string; logger: Logger }): Promise<PublishedNetwork | undefined> {
  const network = await findPublishedNetwork(joined);
  const problem = network ? await canConnectPods() : 'the cluster has none of its own';
  if (problem === undefined) return network;
  process.stderr.write(`coracle: no pod network and service proxy (${problem}); install a network plugin\n`);
  return undefined;
}

function dnsSettings(network: PublishedNetwork | undefined): RunKubeletOptions['settings'] {
  if (!network) return {};
  const { serviceCidrs, clusterDomain } = network;
  return { clusterDNS: dnsAddresses(serviceCidrs), ...(clusterDomain && { clusterDomain }) };
}
