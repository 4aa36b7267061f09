import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { gatewayRefs } from '@coracle/ingress';
import { gatewayCrds } from '@coracle/testing';
import { expect, test } from 'vitest';

async function deploy({ client }: Cluster, name: string): Promise<void> {
  await client.deployments('default').create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 8080 }] }] },
      },
    },
  });
  await client.services('default').create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
  });
}

/** Responds with the app, the path and the router's headers about the client. */
function serveApps({ network }: Cluster): Disposable {
  return network.serve({}, (request, { metadata }) =>
    Response.json([metadata.labels?.['app'], new URL(request.url).pathname, request.headers.get('x-forwarded-host')]),
  );
}

test('an Ingress is routed and its status has the address', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  const { client, network } = cluster;
  using _served = serveApps(cluster);
  expect((await client.resource(refs.ingressClasses).get('coracle')).spec?.controller).toBe(
    'coracle.dev/ingress-controller',
  );
  for (const name of ['web', 'api']) await deploy(cluster, name);
  await expect(network.fetch('http://shop.example.com/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
  await client.resource(refs.ingresses, 'default').create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'shop' },
    spec: {
      ingressClassName: 'coracle',
      rules: [
        {
          host: 'shop.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: backend('web') },
              { path: '/api', pathType: 'Prefix', backend: backend('api') },
            ],
          },
        },
      ],
    },
  });
  await cluster.settled();
  const get = async (url: string) => (await network.fetch(url)).json();
  expect(await get('http://shop.example.com/x')).toEqual(['web', '/x', 'shop.example.com']);
  expect(await get('http://shop.example.com/api/v1')).toEqual(['api', '/api/v1', 'shop.example.com']);
  expect((await network.fetch('http://other.example.com/')).status).toBe(404);
  await expect(network.fetch('https://shop.example.com/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  const [node] = (await client.resource(refs.nodes).list()).items;
  const { status } = await client.resource(refs.ingresses, 'default').get('shop');
  expect(status?.loadBalancer?.ingress).toEqual([{ ip: node?.status?.addresses?.[0]?.address }]);

  await client.deployments('default').patch('api', { spec: { replicas: 0 } }, { type: 'merge' });
  await cluster.settled();
  expect((await network.fetch('http://shop.example.com/api')).status).toBe(503);
});

test('Gateways are routed once their CRDs are installed, and not after these are deleted', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  const { client, network } = cluster;
  using _served = serveApps(cluster);
  for (const name of ['web', 'api']) await deploy(cluster, name);
  await cluster.settled();
  const crds = client.resource(refs.customResourceDefinitions);
  for (const crd of gatewayCrds) await crds.create(crd);
  await cluster.settled();
  const gatewayClass = await client.resource(gatewayRefs.gatewayClasses).get('coracle');
  expect(gatewayClass.status?.conditions).toMatchObject([{ type: 'Accepted', status: 'True' }]);

  const make = (object: KubeObject & { spec: object }) => object;
  await client.resource(gatewayRefs.gateways, 'default').create(
    make({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'front' },
      spec: { gatewayClassName: 'coracle', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
    }),
  );
  const rewrite = { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/v2' } };
  await client.resource(gatewayRefs.httpRoutes, 'default').create(
    make({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'shop' },
      spec: {
        parentRefs: [{ name: 'front' }],
        hostnames: ['*.example.com'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/api' } }],
            filters: [{ type: 'URLRewrite', urlRewrite: rewrite }],
            backendRefs: [{ name: 'api', port: 80 }],
          },
          { backendRefs: [{ name: 'web', port: 80 }] },
        ],
      },
    }),
  );
  await cluster.settled();
  const get = async (url: string) => (await network.fetch(url)).json();
  expect(await get('http://shop.example.com/')).toEqual(['web', '/', 'shop.example.com']);
  expect(await get('http://shop.example.com/api/x')).toEqual(['api', '/v2/x', 'shop.example.com']);

  const front = await client.resource(gatewayRefs.gateways, 'default').get('front');
  expect(front.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Accepted=True',
    'Programmed=True',
  ]);
  expect(front.status?.listeners?.[0]?.attachedRoutes).toBe(1);
  const shop = await client.resource(gatewayRefs.httpRoutes, 'default').get('shop');
  expect(shop.status?.parents?.[0]?.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Accepted=True',
    'ResolvedRefs=True',
  ]);

  await client.services('default').delete('api');
  await cluster.settled();
  const without = await client.resource(gatewayRefs.httpRoutes, 'default').get('shop');
  expect(without.status?.parents?.[0]?.conditions.find(({ type }) => type === 'ResolvedRefs')?.reason).toBe(
    'BackendNotFound',
  );

  await crds.delete('httproutes.gateway.networking.k8s.io');
  await cluster.settled();
  await expect(network.fetch('http://shop.example.com/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
