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
import { listenDns, queryDnsServer } from '@coracle/platform-nodejs';

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
  const { logger } = options;
  const addresses = options.addresses.filter((address) => !isLoopback(address));
  const parts = new DisposableStack();
  if (addresses.length === 0) {
    logger.info('the node has no address reachable from pods: cluster DNS is not served');
    return parts;
  }
  if (!(await ensureService(options))) {
    logger.info('the service kube-dns exists and is managed by another: cluster DNS is not served');
    return parts;
  }
  try {
    await serveNames({ ...options, addresses }, parts);
    return parts;
  } catch (error) {
    // Another attempt needs the port.
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function serveNames(options: ClusterDnsOptions, parts: DisposableStack): Promise<void> {
  const { informers, addresses, clusterDomain: domain = 'cluster.local', logger } = options;
  const zone = new ClusterZone({ informers, domain });
  const forwarder = new Forwarder({ ...options, upstreams: await upstreamsOf(options), query: queryDnsServer });
  const server = parts.use(new DnsServer({ ...options, zone, forwarder }));
  parts.use(await listenDns({ server, addresses, port: dnsPort, logger }));
  await publish(options);
}

/** Endpoints may not have such an address, and pods do not reach it. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** The addresses of the DNS servers for pods. */
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
      // Another process may have created it first: its address is used then.
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
