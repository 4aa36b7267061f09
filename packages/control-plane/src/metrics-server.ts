import { type ClusterRole, type Node, refs } from '@coracle/api';
import { acceptsValues, isAlreadyExists } from '@coracle/apimachinery';
import { type ApiServer, type NodeConnector, readBoundedJson } from '@coracle/apiserver';
import { type Clock, disposable, type Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import { createMetricsServer, type SummarySource } from '@coracle/metrics-server';

const place = { namespace: 'kube-system', name: 'metrics-server' };
const bounds = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };

export interface BuiltInMetricsServerOptions {
  readonly server: ApiServer;
  /** As an administrator. */
  readonly client: Client;
  readonly connector: NodeConnector;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves `metrics.k8s.io` in this process, behind its APIService. While there is a service `kube-system/metrics-server`,
 * which is created only by installing another metrics server, requests go to that one.
 */
export async function runMetricsServer(options: BuiltInMetricsServerOptions): Promise<Disposable> {
  const { server, client, clock, logger } = options;
  const { objects, outbound, resources } = server.parts;
  const { exchange } = createMetricsServer({
    clock,
    logger,
    nodes: () => objects.list(refs.nodes),
    pods: (namespace) => objects.list(refs.pods, namespace),
    source: summaries(options),
  });
  let registration: Disposable | undefined;
  let isStopped = false;
  const giveWay = () => {
    const isInstalled = objects.get(refs.services, place.namespace, place.name) !== undefined;
    if (isInstalled === (registration === undefined) || isStopped) return;
    registration?.[Symbol.dispose]();
    registration = isInstalled ? undefined : outbound.register(place, { exchange });
    if (!isInstalled)
      void install(client).catch((error: unknown) =>
        logger.error('failed to install the APIService of metrics.k8s.io', { error }),
      );
  };
  const cache = resources.findStored(refs.services)?.storage.cache;
  let watch: Disposable | undefined;
  const follow = () => {
    if (isStopped) return;
    watch = cache?.watch(
      { kind: 'all' },
      { onEvent: giveWay, onEnd: () => void Promise.resolve(cache.loading).then(follow) },
    );
    giveWay();
  };
  registration = outbound.register(place, { exchange });
  await install(client);
  follow();
  return disposable(() => {
    isStopped = true;
    watch?.[Symbol.dispose]();
    registration?.[Symbol.dispose]();
  });
}

function summaries({ connector, clock }: BuiltInMetricsServerOptions): SummarySource {
  const headers = { [acceptsValues]: '1' };
  const request = { method: 'GET', path: '/stats/summary', query: 'only_cpu_and_memory=true', headers };
  return async (node: Node) => {
    const { status, value } = await readBoundedJson((signal) => connector.request(node, { ...request, signal }), {
      ...bounds,
      clock,
    });
    if (status !== 200) throw new Error(`/stats/summary of node ${JSON.stringify(node.metadata.name)}: HTTP ${status}`);
    return value;
  };
}

const labels = { 'k8s-app': 'metrics-server' };
const aggregate = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' });

const reader: ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {
    name: 'system:aggregated-metrics-reader',
    labels: { ...labels, ...aggregate('admin'), ...aggregate('edit'), ...aggregate('view') },
  },
  rules: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
};

const service = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1beta1.metrics.k8s.io', labels },
  spec: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    service: place,
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 100,
    versionPriority: 100,
  },
};

/** Creates what is missing. Existing objects are not changed. */
async function install(client: Client): Promise<void> {
  await Promise.all([
    client.resource(refs.apiServices).create(service).catch(unlessExists),
    client.resource(refs.clusterRoles).create(reader).catch(unlessExists),
  ]);
}

function unlessExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
