import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}

async function resourcesOf(path: string): Promise<Map<string, Resource>> {
  const { call } = await startTestServer();
  const { body } = await call('GET', path);
  return new Map(body.resources.map((resource: Resource) => [resource.name, resource]));
}

describe('DISC-06 RES-01 PATCH-01 the verbs of', () => {
  const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  const part = ['get', 'patch', 'update'];

  test.each([
    ['/api/v1', 'pods', all],
    ['/api/v1', 'services', all],
    ['/api/v1', 'namespaces', all.filter((verb) => verb !== 'deletecollection')],
    ['/api/v1', 'componentstatuses', ['get', 'list']],
    ['/api/v1', 'bindings', ['create']],
    ['/api/v1', 'pods/status', part],
    ['/api/v1', 'pods/ephemeralcontainers', part],
    ['/api/v1', 'pods/resize', part],
    ['/api/v1', 'pods/binding', ['create']],
    ['/api/v1', 'pods/eviction', ['create']],
    ['/api/v1', 'pods/log', ['get']],
    ['/api/v1', 'pods/exec', ['create', 'get']],
    ['/api/v1', 'pods/attach', ['create', 'get']],
    ['/api/v1', 'pods/portforward', ['create', 'get']],
    ['/api/v1', 'pods/proxy', ['create', 'delete', 'get', 'patch', 'update']],
    ['/api/v1', 'services/proxy', ['create', 'delete', 'get', 'patch', 'update']],
    ['/api/v1', 'nodes/proxy', ['create', 'delete', 'get', 'patch', 'update']],
    ['/api/v1', 'namespaces/finalize', ['update']],
    ['/api/v1', 'serviceaccounts/token', ['create']],
    ['/api/v1', 'replicationcontrollers/scale', part],
    ['/apis/apps/v1', 'deployments', all],
    ['/apis/apps/v1', 'deployments/scale', part],
    ['/apis/authentication.k8s.io/v1', 'tokenreviews', ['create']],
    ['/apis/certificates.k8s.io/v1', 'certificatesigningrequests/approval', part],
    ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions/status', part],
  ])('%s: %s', async (path, name, verbs) => {
    expect((await resourcesOf(path)).get(name)?.verbs).toEqual(verbs);
  });
});

describe('DISC-09 DISC-10 SCHEME-04 the names of', () => {
  test.each([
    ['/api/v1', 'componentstatuses', ['cs'], false],
    ['/api/v1', 'configmaps', ['cm'], true],
    ['/api/v1', 'endpoints', ['ep'], true],
    ['/api/v1', 'events', ['ev'], true],
    ['/api/v1', 'limitranges', ['limits'], true],
    ['/api/v1', 'namespaces', ['ns'], false],
    ['/api/v1', 'nodes', ['no'], false],
    ['/api/v1', 'persistentvolumeclaims', ['pvc'], true],
    ['/api/v1', 'persistentvolumes', ['pv'], false],
    ['/api/v1', 'pods', ['po'], true],
    ['/api/v1', 'replicationcontrollers', ['rc'], true],
    ['/api/v1', 'resourcequotas', ['quota'], true],
    ['/api/v1', 'serviceaccounts', ['sa'], true],
    ['/api/v1', 'services', ['svc'], true],
    ['/api/v1', 'secrets', undefined, true],
    ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions', ['crd', 'crds'], false],
    ['/apis/apps/v1', 'daemonsets', ['ds'], true],
    ['/apis/apps/v1', 'deployments', ['deploy'], true],
    ['/apis/apps/v1', 'replicasets', ['rs'], true],
    ['/apis/apps/v1', 'statefulsets', ['sts'], true],
    ['/apis/apiregistration.k8s.io/v1', 'apiservices', undefined, false],
    ['/apis/admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', undefined, false],
  ])('%s: %s are %j, in a namespace: %s', async (path, name, shortNames, namespaced) => {
    const resource = (await resourcesOf(path)).get(name);
    expect([resource?.shortNames, resource?.namespaced]).toEqual([shortNames, namespaced]);
  });
});

test('DISC-11 DISC-12 DISC-13 groups are in the order in which names are looked up in them', async () => {
  const { call } = await startTestServer();
  const { groups } = (await call('GET', '/apis')).body;
  expect(groups.map(({ name }: { name: string }) => name)).toEqual([
    'apiregistration.k8s.io',
    'apps',
    'events.k8s.io',
    'authentication.k8s.io',
    'authorization.k8s.io',
    'autoscaling',
    'batch',
    'certificates.k8s.io',
    'networking.k8s.io',
    'policy',
    'rbac.authorization.k8s.io',
    'storage.k8s.io',
    'admissionregistration.k8s.io',
    'apiextensions.k8s.io',
    'scheduling.k8s.io',
    'coordination.k8s.io',
    'node.k8s.io',
    'discovery.k8s.io',
    'resource.k8s.io',
    'flowcontrol.apiserver.k8s.io',
  ]);
});

test('SCHEME-22 SCHEME-23 SCHEME-27 SCHEME-28 every stable version is served, and no other', async () => {
  const { call } = await startTestServer();
  const { groups } = (await call('GET', '/apis')).body;
  const versions = groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => groupVersion),
  );
  expect(versions).toHaveLength(groups.length + 1);
  expect(versions.filter((version: string) => !version.endsWith('/v1'))).toEqual(['autoscaling/v2']);
  const core = await resourcesOf('/api/v1');
  expect([...core.keys()].filter((name) => !name.includes('/'))).toEqual([
    'bindings',
    'componentstatuses',
    'configmaps',
    'endpoints',
    'events',
    'limitranges',
    'namespaces',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'podtemplates',
    'replicationcontrollers',
    'resourcequotas',
    'secrets',
    'serviceaccounts',
    'services',
  ]);
});

test('DISC-11 discovery by group equals aggregated discovery', async () => {
  const { call } = await startTestServer();
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await call('GET', '/apis', undefined, { accept })).body;
  for (const { metadata, versions } of items) {
    for (const { version, resources } of versions) {
      const listed = await resourcesOf(`/apis/${metadata.name}/${version}`);
      for (const { resource, scope, verbs, shortNames } of resources)
        expect(listed.get(resource)).toMatchObject({
          namespaced: scope === 'Namespaced',
          verbs: [...verbs].sort(),
          ...(shortNames && { shortNames }),
        });
    }
  }
});

describe('the description of the API', () => {
  test.each([
    ['ROUTE-10', '/api/v1/namespaces/{namespace}/pods', 'get', 'listCoreV1NamespacedPod', 'list'],
    ['ROUTE-10', '/api/v1/namespaces/{namespace}/pods', 'post', 'createCoreV1NamespacedPod', 'post'],
    ['ROUTE-10', '/api/v1/namespaces/{namespace}/pods/{name}', 'put', 'replaceCoreV1NamespacedPod', 'put'],
    ['ROUTE-10', '/api/v1/namespaces/{namespace}/pods/{name}/status', 'get', 'readCoreV1NamespacedPodStatus', 'get'],
    ['ROUTE-04', '/api/v1/watch/pods', 'get', 'watchCoreV1PodListForAllNamespaces', 'watchlist'],
    [
      'ROUTE-05',
      '/api/v1/namespaces/{namespace}/pods/{name}/exec',
      'post',
      'connectCoreV1PostNamespacedPodExec',
      'connect',
    ],
    ['ROUTE-05', '/api/v1/nodes/{name}/proxy/{path}', 'get', 'connectCoreV1GetNodeProxyWithPath', 'connect'],
    ['ROUTE-07', '/apis/apps/v1/deployments', 'get', 'listAppsV1DeploymentForAllNamespaces', 'list'],
  ])('%s has the names %s %s %s, and ROUTE-11 its kind', async (_id, path, method, operationId, action) => {
    const { call } = await startTestServer();
    const { paths } = (await call('GET', '/openapi/v2')).body;
    expect(paths[path][method]).toMatchObject({
      operationId,
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { version: 'v1', kind: expect.any(String) },
    });
  });

  test('ROUTE-14 connect subresources have any media type, and DISC-17 paths are sorted', async () => {
    const { call } = await startTestServer();
    const { paths } = (await call('GET', '/openapi/v2')).body;
    const exec = paths['/api/v1/namespaces/{namespace}/pods/{name}/exec'].get;
    expect([exec.consumes, exec.produces]).toEqual([['*/*'], ['*/*']]);
    const names = Object.keys(paths);
    expect(names).toEqual([...names].sort());
  });

  test('ROUTE-09 reports the codes of success', async () => {
    const { call } = await startTestServer();
    const { paths } = (await call('GET', '/openapi/v2')).body;
    const codes = (path: string, method: string) => Object.keys(paths[path][method].responses);
    const [list, item] = ['/api/v1/namespaces/{namespace}/pods', '/api/v1/namespaces/{namespace}/pods/{name}'];
    expect(codes(list, 'get')).toEqual(['200', '401']);
    expect(codes(list, 'post')).toEqual(['200', '201', '202', '401']);
    expect(codes(item, 'put')).toEqual(['200', '201', '401']);
    expect(codes(item, 'delete')).toEqual(['200', '202', '401']);
  });

  test('DISC-16 describes fields', async () => {
    const { call } = await startTestServer();
    const { definitions } = (await call('GET', '/openapi/v2')).body;
    const { description } = definitions['io.k8s.api.core.v1.PodSpec'].properties.nodeName;
    expect(description.length).toBeGreaterThan(20);
  });
});
