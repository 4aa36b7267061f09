import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import type { Clock, Logger } from '@coracle/base';
import type { AdapterRules } from './adapter-rules.js';
import type { CatalogMetric, ResourceFinder } from './metric-catalog.js';
import type { PrometheusClient, PrometheusSource } from './prometheus-client.js';

export interface MetricsAdapterOptions {
  readonly rules: AdapterRules;
  readonly source: PrometheusSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly findResource: ResourceFinder;
  /** Objects that the labels of a request select; of one namespace if the resource has namespaces. */
  readonly objects: (info: ResourceInfo, namespace: string | undefined) => readonly KubeObject[];
}

export type Catalog = ReadonlyMap<string, CatalogMetric>;

/** Dependencies of the handlers of both groups. */
export interface AdapterWork extends MetricsAdapterOptions {
  readonly prometheus: PrometheusClient;
}
