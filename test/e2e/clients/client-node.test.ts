import { AppsV1Api, CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';

let cluster: RunningCluster;
let config: KubeConfig;
beforeAll(async () => {
  cluster = await RunningCluster.start({ flags: ['--nodes', '1'] });
  config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const namespace = 'default';

test('@kubernetes/client-node creates, lists, watches, patches and deletes', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const seen: string[] = [];
  const watch = new Watch(config);
  const { promise: deleted, resolve } = deferred();
  const request = await watch.watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { fieldSelector: 'metadata.name=settings' },
    (type, object: { data?: Record<string, string> }) => {
      seen.push(`${type} ${object.data?.['colour']}`);
      if (type === 'DELETED') resolve();
    },
    () => undefined,
  );
  const created = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'settings' }, data: { colour: 'red' } },
  });
  expect(created.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
  const { items } = await core.listNamespacedConfigMap({ namespace });
  expect(items.map(({ metadata }) => metadata?.name)).toContain('settings');
  const patched = await core.patchNamespacedConfigMap(
    { namespace, name: 'settings', body: { data: { colour: 'blue' } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  expect(patched.data).toEqual({ colour: 'blue' });
  await core.deleteNamespacedConfigMap({ namespace, name: 'settings' });
  await deleted;
  request.abort();
  expect(seen).toEqual(['ADDED red', 'MODIFIED blue', 'DELETED blue']);
  await expect(core.readNamespacedConfigMap({ namespace, name: 'settings' })).rejects.toMatchObject({ code: 404 });
});

test('@kubernetes/client-node runs a Deployment', async () => {
  const apps = config.makeApiClient(AppsV1Api);
  const labels = { app: 'web' };
  const body = {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  };
  const { promise: available, resolve } = deferred();
  const request = await new Watch(config).watch(
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    {},
    (_type, { status }: { status?: { availableReplicas?: number } }) => {
      if (status?.availableReplicas === 2) resolve();
    },
    () => undefined,
  );
  await apps.createNamespacedDeployment({ namespace, body });
  await available;
  request.abort();
  await apps.deleteNamespacedDeployment({ namespace, name: 'web' });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
