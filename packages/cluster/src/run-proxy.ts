import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { refs } from '@coracle/api';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { Activity, DisposableStack, type Logger, PrometheusMetrics } from '@coracle/base';
import { createClient, createInformers } from '@coracle/client';
import {
  conntrackConnections,
  createHttpTransport,
  createSystemRandom,
  hasTool,
  healthCheckPorts,
  loadConnection,
  nftFilter,
  runTool,
  serveHttp,
  systemClock,
} from '@coracle/platform-nodejs';
import {
  dropTable,
  healthPages,
  metricsPages,
  type ProxyConfiguration,
  parseProxyConfiguration,
  ServiceProxy,
  usualProxyConfiguration,
} from '@coracle/proxy';

/** Which node the proxy serves, and how it reaches the API server. Flags go before the configuration file. */
export interface RunProxyOptions {
  readonly configFile?: string;
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly hostnameOverride?: string;
  readonly overrides?: Partial<Omit<ProxyConfiguration, 'kubeconfig' | 'hostnameOverride' | 'notes'>>;
  readonly logger: Logger;
}

/** Runs the service proxy of this machine against an API server somewhere. */
export async function runProxy(options: RunProxyOptions): Promise<AsyncDisposable> {
  const { logger } = options;
  const configuration = { ...(await readConfiguration(options.configFile)), ...options.overrides };
  for (const note of configuration.notes) logger.info(note);
  if (!(await hasTool('nft', ['list', 'tables'])))
    throw new Error('nft does not answer: the service proxy needs nftables and the rights to change it');
  const parts = new DisposableStack();
  try {
    const path = options.kubeconfig ?? configuration.kubeconfig;
    const connection = await loadConnection(path ? { path } : {});
    const server = options.master ? { ...connection, server: options.master } : connection;
    const transport = parts.use(await createHttpTransport({ connection: server, logger, http2: true }));
    const client = createClient({ transport, userAgent: 'coracle-proxy' });
    const shared = { clock: systemClock, random: createSystemRandom(), logger, activity: new Activity() };
    const informers = parts.use(createInformers({ ...shared, client }));
    const metrics = new PrometheusMetrics();
    const nodeName = options.hostnameOverride ?? configuration.hostnameOverride ?? hostname().toLowerCase();
    const nodes = informers.for(refs.nodes, { fieldSelector: `metadata.name=${nodeName}` });
    const proxy = parts.use(
      new ServiceProxy({
        ...shared,
        ...configuration,
        informers,
        nodeName,
        families: [4, 6],
        filter: parts.use(nftFilter()),
        connections: conntrackConnections({ logger }),
        healthChecks: healthCheckPorts({ logger }),
        metrics,
      }),
    );
    informers.start();
    const nodeEligible = () => nodes.list().every(({ metadata }) => metadata.deletionTimestamp === undefined);
    const health = healthPages({ proxy, clock: systemClock, syncPeriodMs: configuration.syncPeriodMs, nodeEligible });
    for (const [address, pages] of [
      [configuration.healthzBindAddress, health],
      [configuration.metricsBindAddress, metricsPages(metrics, { 'kubeproxy.config.k8s.io': configuration })],
    ] as const) {
      if (address) parts.use(await serveHttp(hostAndPort(address))(pages));
    }
    return parts;
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** Removes everything that a proxy has put into the packet filter. */
export async function cleanUpProxy(): Promise<void> {
  await runTool('nft', ['-f', '-'], { input: dropTable(4) + dropTable(6) });
}

async function readConfiguration(file: string | undefined): Promise<ProxyConfiguration> {
  if (!file) return usualProxyConfiguration();
  try {
    return parseProxyConfiguration(parseYamlDocuments(await readFile(file))[0]?.value);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function hostAndPort(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(address.slice(at + 1)) };
}
