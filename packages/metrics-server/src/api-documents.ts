import { apiVersion } from './compute-metrics.js';

const verbs = ['get', 'list'];

/** The discovery documents of this server. */
export const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: apiVersion,
  resources: [
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
  ],
};

const quantity = { type: 'string' };
const usage = { type: 'object', additionalProperties: quantity };
const common = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
  timestamp: { type: 'string', format: 'date-time' },
  window: { type: 'string' },
};
const container = { type: 'object', properties: { name: { type: 'string' }, usage }, required: ['name', 'usage'] };

const schemas = {
  NodeMetrics: schemaOf('NodeMetrics', { ...common, usage }),
  PodMetrics: schemaOf('PodMetrics', { ...common, containers: { type: 'array', items: container } }),
};

const definition = (kind: string) => `io.k8s.metrics.pkg.apis.metrics.v1beta1.${kind}`;
const definitions = Object.fromEntries(Object.entries(schemas).map(([kind, schema]) => [definition(kind), schema]));

export const openApiV2 = { swagger: '2.0', info: { title: 'metrics', version: 'v1beta1' }, paths: {}, definitions };

export const openApiV3Index = {
  paths: { [`apis/${apiVersion}`]: { serverRelativeURL: `/openapi/v3/apis/${apiVersion}` } },
};

export const openApiV3 = {
  openapi: '3.0.0',
  info: { title: 'metrics', version: 'v1beta1' },
  paths: {},
  components: { schemas: definitions },
};

function schemaOf(kind: string, properties: object): object {
  return {
    type: 'object',
    properties,
    'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind }],
  };
}
