import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'nginx', ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const deployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
});

test('a container whose command is wget or curl reaches services, and ends as the program would', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  const { client } = cluster;
  await client.deployments('default').create(deployment('web', 1));
  await client.services('default').create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  });
  const outcome = async (name: string, command: string[], args: string[]) => {
    await client.pods('default').create({
      metadata: { name },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox', command, args }] },
    });
    await cluster.settled();
    const { status } = await client.pods('default').get(name);
    return [status?.phase, status?.containerStatuses?.[0]?.state?.terminated?.exitCode];
  };
  await cluster.settled();
  expect(await outcome('found', ['wget'], ['web:80'])).toEqual(['Succeeded', 0]);
  expect(await outcome('unknown', ['curl'], ['-s', 'http://absent'])).toEqual(['Failed', 6]);
  expect(await outcome('other', ['server'], ['http://web'])).toEqual(['Running', undefined]);
});

test('names, services, functions as containers and policies, without a socket', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  const { client, network } = cluster;
  await client.deployments('default').create(deployment('web', 2));
  await client.deployments('default').create(deployment('shell', 1));
  const web = await client.services('default').create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  });
  await cluster.settled();
  const pods = (await client.pods('default').list()).items;
  const shell = `default/${pods.find(({ metadata }) => metadata.labels?.['app'] === 'shell')?.metadata.name}`;

  expect(await network.resolve('web.default')).toEqual([web.spec?.clusterIP]);
  expect(await network.resolve('web', { from: shell })).toEqual([web.spec?.clusterIP]);
  await expect(network.resolve('nobody')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect((await network.fetch('http://web.default/')).status).toBe(200);

  using _served = network.serve({ labels: { app: 'web' } }, (request, pod) =>
    Response.json([pod.metadata.name, new URL(request.url).pathname]),
  );
  const reached = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const [name, path] = JSON.parse(await (await network.fetch('http://web/x', { from: shell })).text());
    expect(path).toBe('/x');
    reached.add(name);
  }
  expect(reached.size).toBe(2);

  await client.networkPolicies('default').create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'deny' },
    spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
  });
  await cluster.settled();
  await expect(network.fetch('http://web/', { from: shell })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect((await network.fetch('http://web/')).status).toBe(200);

  await client.deployments('default').patch('web', { spec: { replicas: 0 } }, { type: 'merge' });
  await cluster.settled();
  await expect(network.fetch('http://web/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
