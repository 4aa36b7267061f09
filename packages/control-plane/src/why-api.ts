import { type ClusterRole, type Pod, refs } from '@coracle/api';
import {
  type ApiRequest,
  type ApiResponse,
  isAlreadyExists,
  methodNotAllowed,
  notFound,
  pageNotFound,
  StatusError,
  serviceUnavailable,
} from '@coracle/apimachinery';
import type { ApiServer } from '@coracle/apiserver';
import type { Client } from '@coracle/client';
import type { Component } from './components.js';

const group = 'scheduling.coracle.dev';
const version = 'v1alpha1';
const root = `/apis/${group}/${version}`;
const kind = 'PodExplanation';
const place = { namespace: 'kube-system', name: 'coracle-why' };

export interface WhyApiOptions {
  readonly server: ApiServer;
  /** As an administrator. */
  readonly client: Client;
  readonly scheduler: () => Component | undefined;
}

/**
 * Serves `pods/why` of Coracle's own API group, behind an APIService: what the scheduler of this process says of a pod.
 * Users who may view pods have access.
 */
export async function runWhyApi({ server, client, scheduler }: WhyApiOptions): Promise<Disposable> {
  const { objects, outbound } = server.parts;
  const explain = (namespace: string, name: string): object => {
    const query = new URLSearchParams({ pod: `${namespace}/${name}` });
    const page = scheduler()?.debug('why', '/', query);
    if (page)
      return { kind, apiVersion: `${group}/${version}`, metadata: { namespace, name }, ...JSON.parse(page.text) };
    const pod = objects.get(refs.pods, namespace, name) as Pod | undefined;
    if (!pod) throw notFound({ group: '', resource: 'pods' }, name);
    if (!scheduler()) throw serviceUnavailable('no scheduler runs in this server');
    const schedulerName = JSON.stringify(pod.spec?.schedulerName ?? '');
    throw serviceUnavailable(`the pod is left to the scheduler ${schedulerName}, which does not run in this server`);
  };
  const registration = outbound.register(place, { exchange: async (request) => answer(request, explain) });
  await Promise.all([
    client.resource(refs.apiServices).create(service).catch(unlessExists),
    client.resource(refs.clusterRoles).create(reader).catch(unlessExists),
  ]);
  return registration;
}

/** An APIService that an earlier start left behind would keep namespaces from being deleted. */
export async function removeWhyApi({ server, client }: Omit<WhyApiOptions, 'scheduler'>): Promise<void> {
  const { name } = service.metadata;
  if (server.parts.objects.get(refs.apiServices, '', name)) await client.resource(refs.apiServices).delete(name);
}

const document = { info: { title: group, version }, paths: {} };
const schema = {
  description: 'What scheduler plugins say of a pod, node by node, and what would let it run.',
  type: 'object',
  'x-kubernetes-group-version-kind': [{ group, version, kind }],
};
const definitions = { [`dev.coracle.scheduling.${version}.${kind}`]: schema };

const documents: Readonly<Record<string, object>> = {
  [root]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/${version}`,
    resources: [{ name: 'pods/why', singularName: '', namespaced: true, kind, verbs: ['get'] }],
  },
  '/openapi/v2': { swagger: '2.0', ...document, definitions },
  '/openapi/v3': { paths: { [root.slice(1)]: { serverRelativeURL: `/openapi/v3${root}` } } },
  [`/openapi/v3${root}`]: { openapi: '3.0.0', ...document, components: { schemas: definitions } },
};

function answer({ method, path }: ApiRequest, explain: (namespace: string, name: string) => object): ApiResponse {
  try {
    if (method !== 'GET') throw methodNotAllowed({ group, resource: 'pods' }, method.toLowerCase());
    const [, namespace, name] = /^\/namespaces\/([^/]+)\/pods\/([^/]+)\/why$/.exec(path.slice(root.length)) ?? [];
    const found = documents[path] ?? (namespace && name && path.startsWith(root) && explain(namespace, name));
    if (!found) throw pageNotFound();
    return json(found, 200);
  } catch (error) {
    if (error instanceof StatusError) return json(error.status, error.status.code ?? 500);
    throw error;
  }
}

function json(value: object, status: number): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify(value))] },
  };
}

const aggregate = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' });

const reader: ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'coracle:why', labels: { ...aggregate('admin'), ...aggregate('edit'), ...aggregate('view') } },
  rules: [{ apiGroups: [group], resources: ['pods/why'], verbs: ['get'] }],
};

const service = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    service: place,
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 100,
    versionPriority: 100,
  },
};

function unlessExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
