import { readFile } from 'node:fs/promises';
import { describeBuild, ProcessUse } from '@coracle/apiserver';
import { Activity, DisposableStack, type Logger, noTracer, PrometheusMetrics } from '@coracle/base';
import { type Connection, createClient, createInformers } from '@coracle/client';
import { createPodSource, watchReferences } from '@coracle/kubelet';
import {
  createCriClient,
  createHttpTransport,
  createSystemRandom,
  loadConnection,
  readProcessStats,
  systemClock,
} from '@coracle/platform-nodejs';
import { defaultNodeName } from './default-node-name.js';
import { selfSignedServing } from './node-serving.js';
import { type RealNode, type RealNodeSettings, startRealNode } from './real-node.js';

/** A kubelet in a separate process. */
export interface RunKubeletOptions extends RealNodeSettings {
  /** Its connection to the API server, with its credentials. */
  readonly kubeconfig: string;
  readonly criEndpoint: string;
  /** Endpoint of the image service, if it differs. */
  readonly imageEndpoint?: string;
  /** 10250, or a free one if that is in use, by default. */
  readonly kubeletPort?: number;
  readonly logger: Logger;
}

/** Runs the kubelet of this machine against an API server somewhere. */
export async function runKubelet(options: RunKubeletOptions): Promise<RealNode> {
  const { kubeconfig, criEndpoint, imageEndpoint, logger, nodeName = defaultNodeName() } = options;
  const parts = new DisposableStack();
  try {
    const connection = await loadConnection({ path: kubeconfig });
    const metrics = new PrometheusMetrics();
    describeBuild(metrics);
    const use = new ProcessUse(metrics);
    const transport = parts.use(await createHttpTransport({ connection, logger, metrics, http2: true }));
    const client = createClient({ transport, userAgent: 'kubelet' });
    const shared = {
      clock: systemClock,
      random: createSystemRandom(),
      logger,
      metrics,
      tracer: noTracer,
      activity: new Activity(),
    };
    const informers = parts.use(createInformers({ ...shared, client }));
    const pods = parts.use(createPodSource(informers, { fieldSelector: `spec.nodeName=${nodeName}` }));
    const references = watchReferences(informers, { alone: true })(client);
    const cri = parts.use(
      createCriClient({ endpoint: criEndpoint, holdStarts: true, ...(imageEndpoint && { imageEndpoint }) }),
    );
    const { clientCaFile } = options.servingFiles ?? {};
    const clientCa = clientCaFile ? await readFile(clientCaFile, 'utf8') : await authorityOf(connection);
    const serving = clientCa && (await selfSignedServing({ ...options, nodeName }, { clientCa, clock: systemClock }));
    const renderMetrics = () => {
      use.show(readProcessStats());
      return metrics.render();
    };
    const starting = startRealNode({
      ...options,
      ...serving,
      ...shared,
      nodeName,
      cri,
      client,
      pods,
      references,
      renderMetrics,
    });
    informers.start();
    const node = parts.use(await starting);
    return { ...node, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** The cluster CA, which verifies the kubelet's clients; empty if the kubeconfig has none. */
async function authorityOf({ certificateAuthority: ca }: Connection): Promise<string> {
  if (!ca) return '';
  return 'data' in ca ? ca.data : readFile(ca.file, 'utf8');
}
