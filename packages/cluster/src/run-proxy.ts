import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { refs } from '@coracle/api';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { DisposableStack, type Logger, PrometheusMetrics } from '@coracle/base';
import { createClient, createInformers } from '@coracle/client';
import {
  createHttpTransport,
  createSystemRandom,
  hasTool,
  loadConnection,
  runTool,
  systemClock,
} from '@coracle/platform-nodejs';
import {
  dropTable,
  type ProxyConfiguration,
  type ProxyMode,
  parseProxyConfiguration,
  usualProxyConfiguration,
} from '@coracle/proxy';
import { serveProxyPages, startLoopbackPorts, startProxyOf } from './network/service-proxies.js';

/** Which node the proxy serves, and how it reaches the API server. Flags go before the configuration file. */
export interface RunProxyOptions {
  readonly configFile?: string;
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly hostnameOverride?: string;
  readonly overrides?: Partial<Omit<ProxyConfiguration, 'kubeconfig' | 'hostnameOverride' | 'notes'>>;
  /** Called once with each note for operators. */
  readonly onNote?: (note: string) => void;
  readonly logger: Logger;
}

/** Limitations without the packet filter. */
export const userSpaceNote = 'services are served in user space: node ports of TCP and UDP alone, no cluster addresses';

export interface RunningProxy extends AsyncDisposable {
  /** Resolves when everything that the API server had at the start is served. */
  readonly started: Promise<void>;
}

/** Runs the service proxy of this machine against an API server somewhere. */
export async function runProxy(options: RunProxyOptions): Promise<RunningProxy> {
  const { logger } = options;
  const configuration = { ...(await readConfiguration(options.configFile)), ...options.overrides };
  for (const note of configuration.notes) logger.info(note);
  const mode = await modeOf(configuration.mode);
  if (mode === 'userspace') options.onNote?.(userSpaceNote);
  const parts = new DisposableStack();
  try {
    const path = options.kubeconfig ?? configuration.kubeconfig;
    const connection = await loadConnection(path ? { path } : {});
    const server = options.master ? { ...connection, server: options.master } : connection;
    const transport = parts.use(await createHttpTransport({ connection: server, logger, http2: true }));
    const client = createClient({ transport, userAgent: 'coracle-proxy' });
    const shared = { clock: systemClock, random: createSystemRandom(), logger };
    const informers = parts.use(createInformers({ ...shared, client }));
    const metrics = new PrometheusMetrics();
    const nodeName = options.hostnameOverride ?? configuration.hostnameOverride ?? hostname().toLowerCase();
    const nodes = informers.for(refs.nodes, { fieldSelector: `metadata.name=${nodeName}` });
    const proxy = parts.use(startProxyOf(mode, { ...shared, ...configuration, informers, nodeName, metrics }));
    if (mode === 'nftables') parts.use(startLoopbackPorts({ ...shared, informers, nodeName, metrics }));
    informers.start();
    const nodeEligible = () => nodes.list().every(({ metadata }) => metadata.deletionTimestamp === undefined);
    const config = { 'kubeproxy.config.k8s.io': { ...configuration, mode } };
    parts.use(await serveProxyPages({ ...configuration, proxy, mode, metrics, nodeEligible, config }));
    const started = proxy.started();
    return { started, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** Removes everything that a proxy has added to the packet filter. */
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

/** Without nftables, or the rights to change it, node ports are served at least. */
async function modeOf(mode: ProxyMode): Promise<ProxyMode> {
  return mode === 'nftables' && (await hasTool('nft', ['list', 'tables'])) ? 'nftables' : 'userspace';
}
