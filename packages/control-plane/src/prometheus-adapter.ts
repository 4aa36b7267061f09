import { refs } from '@coracle/api';
import { isAlreadyExists, RestMapper } from '@coracle/apimachinery';
import type { ApiServer } from '@coracle/apiserver';
import type { Clock, Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import { createMetricsAdapter, type MetricsAdapterOptions, type ResourceFinder } from '@coracle/metrics-server';

/** Rules that map series to metrics, with their queries. */
export type PrometheusSettings = Pick<MetricsAdapterOptions, 'rules' | 'source'>;

export interface BuiltInPrometheusAdapterOptions extends PrometheusSettings {
  readonly server: ApiServer;
  /** As an administrator. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const place = { namespace: 'kube-system', name: 'prometheus-adapter' };
const versions = [
  { group: 'custom.metrics.k8s.io', version: 'v1beta1', versionPriority: 100 },
  { group: 'custom.metrics.k8s.io', version: 'v1beta2', versionPriority: 200 },
  { group: 'external.metrics.k8s.io', version: 'v1beta1', versionPriority: 100 },
];

/** Serves custom and external metrics from Prometheus in this process, behind their APIServices. */
export async function runPrometheusAdapter(options: BuiltInPrometheusAdapterOptions): Promise<Disposable> {
  const { server, client, rules, source, clock, logger } = options;
  const { objects, outbound } = server.parts;
  const { exchange } = createMetricsAdapter({
    rules,
    source,
    clock,
    logger,
    findResource: resourceFinder(server),
    objects: (info, namespace) => objects.list(info, namespace),
  });
  const registration = outbound.register(place, { exchange });
  await Promise.all(versions.map((one) => install(client, one)));
  return registration;
}

/** The resources of the server, including custom ones. */
function resourceFinder({ parts: { resources } }: ApiServer): ResourceFinder {
  let cached: { readonly generation: number; readonly mapper: RestMapper } | undefined;
  return (name) => {
    const { generation } = resources;
    if (cached?.generation !== generation)
      cached = { generation, mapper: new RestMapper(resources.all().map(({ info }) => info)) };
    return cached.mapper.find(name);
  };
}

/** Existing objects are not changed. */
async function install(client: Client, { group, version, versionPriority }: (typeof versions)[number]): Promise<void> {
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { app: place.name } },
    spec: { group, version, service: place, insecureSkipTLSVerify: true, groupPriorityMinimum: 100, versionPriority },
  };
  try {
    await client.resource(refs.apiServices).create(service);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
