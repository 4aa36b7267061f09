import { resolve } from 'node:path';
import { canConnectPods, type RealNodeNetwork, userSpaceNote, usualServiceRanges } from '@coracle/cluster';
import { type Command, Option } from 'commander';
import { collect, parseList, parsePort } from './flag-values.js';

/** Options of the network of a real node. */
export interface NetworkFlags {
  readonly network: 'auto' | 'none';
  readonly clusterCidr: readonly string[];
  readonly networkBackend: NonNullable<RealNodeNetwork['backend']>;
  readonly clusterDomain: string;
  readonly dnsUpstream?: readonly string[];
  readonly stubDomain?: readonly string[];
  readonly ingressHttpPort: number;
  readonly ingressHttpsPort: number;
  readonly clean?: boolean;
  readonly serviceClusterIpRange?: readonly string[];
  readonly dataDir: string;
}

export function addNetworkFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--network <kind>',
        'pod network, service proxy and cluster DNS of a real node; auto leaves pods to another CNI plugin that is configured',
      )
        .choices(['auto', 'none'])
        .default('auto'),
    )
    .option('--cluster-cidr <list>', 'CIDR ranges of pods, at most one for each IP family', parseList, [
      '10.244.0.0/16',
    ])
    .addOption(
      new Option(
        '--network-backend <kind>',
        'route mode to the pods of other nodes; auto uses VXLAN only across network segments',
      )
        .choices(['auto', 'host-gateway', 'vxlan'])
        .default('auto'),
    )
    .option('--cluster-domain <domain>', 'DNS domain of the cluster', 'cluster.local')
    .option('--dns-upstream <list>', 'DNS servers for other names (default: those of /etc/resolv.conf)', parseList)
    .option(
      '--stub-domain <domain=servers>',
      'DNS servers of a domain, such as corp=10.0.0.1,10.0.0.2; may be repeated',
      collect,
    )
    .option(
      '--ingress-http-port <port>',
      'port of a real node for HTTP of Ingresses and Gateways, used once there is one; 0 for none',
      parsePort,
      80,
    )
    .option(
      '--ingress-https-port <port>',
      'port of a real node for HTTPS of Ingresses and Gateways; 0 for none',
      parsePort,
      443,
    )
    .option('--clean', 'remove links, routes, rules and leases of the pod network on exit');
}

/** The network of a real node; `undefined` if it is disabled, or not possible, which is logged. */
export async function networkOf(flags: NetworkFlags): Promise<RealNodeNetwork | undefined> {
  if (flags.network === 'none') return undefined;
  const problem = await canConnectPods();
  if (problem !== undefined) {
    process.stderr.write(`coracle: no pod network and cluster DNS (${problem}); ${userSpaceNote}\n`);
    return undefined;
  }
  const { clusterCidr, networkBackend, clusterDomain, dnsUpstream, stubDomain, clean, dataDir } = flags;
  return {
    clusterCidrs: clusterCidr,
    serviceCidrs: flags.serviceClusterIpRange ?? usualServiceRanges,
    backend: networkBackend,
    clusterDomain,
    leaseDir: resolve(dataDir, 'pod-network'),
    ingress: { http: flags.ingressHttpPort, https: flags.ingressHttpsPort },
    ...(dnsUpstream && { upstreams: dnsUpstream }),
    ...(stubDomain && { stubDomains: stubDomainsOf(stubDomain) }),
    ...(clean && { clean }),
  };
}

function stubDomainsOf(texts: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new Error(`--stub-domain: ${JSON.stringify(text)} must be DOMAIN=SERVER,SERVER`);
      return [text.slice(0, at), parseList(text.slice(at + 1))];
    }),
  );
}
