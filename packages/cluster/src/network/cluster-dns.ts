import { readFile } from 'node:fs/promises';
import { refs } from '@coracle/api';
import { isAlreadyExists } from '@coracle/apimachinery';
import { type Clock, DisposableStack, type Logger, type Metrics, type Random } from '@coracle/base';
import type { Client, InformerFactory } from '@coracle/client';
import {
  ClusterZone,
  DnsServer,
  dnsAddressOf,
  dnsEndpointSlice,
  dnsName,
  dnsNamespace,
  dnsPort,
  dnsService,
  Forwarder,
  parseResolverConfig,
} from '@coracle/dns';
import { askDnsServer, listenDns } from '@coracle/platform-nodejs';

export interface ClusterDnsOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly informers: InformerFactory;
  /** Addresses of the node that pods reach. */
  readonly addresses: readonly string[];
  readonly serviceCidrs: readonly string[];
  readonly clusterDomain?: string;
  readonly upstreams?: readonly string[];
  readonly stubDomains?: Readonly<Record<string, readonly string[]>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Serves the names of the cluster from this node, behind the service `kube-dns`. */
export async function startClusterDns(options: ClusterDnsOptions): Promise<AsyncDisposable> {
  const { informers, addresses, clusterDomain: domain = 'cluster.local', logger } = options;
  const parts = new DisposableStack();
  if (!(await ensureService(options))) {
    logger.info('kube-dns is a service of somebody else: names are left to it');
    return parts;
  }
  const zone = new ClusterZone({ informers, domain });
  const forwarder = new Forwarder({ ...options, upstreams: await upstreamsOf(options), ask: askDnsServer });
  const server = parts.use(new DnsServer({ ...options, zone, forwarder }));
  parts.use(await listenDns({ server, addresses, port: dnsPort, logger }));
  await publish(options);
  return parts;
}

/** The addresses that pods are told to ask. */
export function dnsAddresses(serviceCidrs: readonly string[]): string[] {
  return serviceCidrs.map(dnsAddressOf).filter((address) => address !== undefined);
}

/** Makes the service, unless there is one; false if that leads to pods. */
async function ensureService({ client, serviceCidrs }: ClusterDnsOptions): Promise<boolean> {
  const services = client.services(dnsNamespace);
  try {
    await services.create(dnsService(dnsAddresses(serviceCidrs)));
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) {
      // Another process may have been faster: its address is taken then.
      const present = await services.get(dnsName).catch(() => undefined);
      if (!present) throw error;
    }
    const { spec } = await services.get(dnsName);
    return Object.keys(spec?.selector ?? {}).length === 0;
  }
}

async function publish({ client, nodeName, addresses }: ClusterDnsOptions): Promise<void> {
  const slices = client.resource(refs.endpointSlices, dnsNamespace);
  for (const address of addresses)
    await slices.apply(dnsEndpointSlice({ nodeName, address }), { fieldManager: 'coracle-dns', force: true });
}

async function upstreamsOf({ upstreams, serviceCidrs }: ClusterDnsOptions): Promise<readonly string[]> {
  if (upstreams) return upstreams;
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const own = dnsAddresses(serviceCidrs);
  return parseResolverConfig(text).nameservers.filter((server) => !own.includes(server));
}
