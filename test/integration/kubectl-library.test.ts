import { type Cluster, startCluster } from '@coracle/cluster';
import {
  annotate,
  apply,
  cordon,
  create,
  describe as describeObjects,
  drain,
  exampleManifest,
  explain,
  type Fields,
  followRollout,
  formatError,
  formatObjects,
  get,
  getTables,
  getTree,
  label,
  logs,
  patch,
  pauseRollout,
  remove,
  replace,
  restartRollout,
  resumeRollout,
  rolloutHistory,
  Session,
  scale,
  uncordon,
  undoRollout,
  waitFor,
  whyAccess,
  whyPod,
} from '@coracle/kubectl';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { web, whileTimePasses } from './kubectl.js';

let cluster: Cluster;
let session: Session;
const warnings: string[] = [];

beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  warnings.length = 0;
  session = new Session({ client: cluster.client, clock: cluster.clock, onWarning: (text) => warnings.push(text) });
});
afterEach(() => cluster.stop());

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'red' } };

async function rolledOut(): Promise<void> {
  await cluster.settled();
  for await (const status of followRollout(session, 'deploy/web', { timeoutMs: 60_000 }))
    if (status.done) expect(status.message).toBe('deployment "web" successfully rolled out\n');
}

test('apply creates, configures and reports unchanged objects, and get, tables, trees and descriptions show it', async () => {
  const operations = async (...objects: Fields[]) => (await apply(session, objects)).map(({ operation }) => operation);
  expect(await operations(web, settings)).toEqual(['created', 'created']);
  expect(await operations(web, { ...settings, data: { colour: 'blue' } })).toEqual(['unchanged', 'configured']);
  await whileTimePasses(cluster, rolledOut());

  const pods = await get(session, { resource: 'pods', labelSelector: 'app=web' });
  expect(pods).toHaveLength(2);
  expect(formatObjects(await get(session, { resource: 'cm/settings' }), 'jsonpath={.data.colour}')).toBe('blue');
  expect(formatObjects(await get(session, { resource: 'deploy,cm', labelSelector: '' }), 'name')).toContain(
    'deployment.apps/web\n',
  );
  const [table] = await getTables(session, { resource: 'deployments' });
  expect(table?.columns.map(({ name }) => name)).toContain('Up-to-date');
  expect(table?.rows.map(({ cells }) => cells[0])).toEqual(['web']);
  expect(await getTree(session, { resource: 'deploy/web' })).toMatchObject([
    { name: 'deployment.apps/web', owned: [{ owned: [{ status: 'Running' }, { status: 'Running' }] }] },
  ]);
  const [text] = await describeObjects(session, { resource: 'deploy/web' });
  expect(text).toMatch(/^Name: +web\n/);
  expect(await waitFor(session, { resource: 'deploy/web' }, { for: 'condition=Available', timeoutMs: 0 })).toHaveLength(
    1,
  );
});

test('server-side apply reports conflicts with the message of kubectl', async () => {
  await apply(session, [settings], { serverSide: true, fieldManager: 'one' });
  const other = { ...settings, data: { colour: 'blue' } };
  const refused = apply(session, [other], { serverSide: true, fieldManager: 'two' });
  await expect(refused.catch((error: unknown) => Promise.reject(new Error(formatError(error))))).rejects.toThrow(
    'conflict with "one": .data.colour',
  );
  await apply(session, [other], { serverSide: true, fieldManager: 'two', forceConflicts: true });
  expect(await get(session, { resource: 'cm/settings' })).toMatchObject([{ data: { colour: 'blue' } }]);
});

test('a rollout is restarted, paused, resumed, scaled and undone', async () => {
  await create(session, web);
  await whileTimePasses(cluster, rolledOut());
  await patch(session, 'deploy/web', {
    spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } } },
  });
  await whileTimePasses(cluster, rolledOut());
  expect((await rolloutHistory(session, 'deploy/web')).map(({ number }) => number)).toEqual([1, 2]);
  expect(await undoRollout(session, 'deploy/web')).toBe('rolled back');
  expect(await get(session, { resource: 'deploy/web' })).toMatchObject([
    { spec: { template: { spec: { containers: [{ image: 'nginx:1' }] } } } },
  ]);
  expect(await restartRollout(session, 'deploy/web')).toMatchObject({
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } } } },
  });
  await pauseRollout(session, 'deploy/web');
  await expect(pauseRollout(session, 'deploy/web')).rejects.toThrow('is already paused');
  expect(await resumeRollout(session, 'deploy/web')).not.toMatchObject({ spec: { paused: true } });
  await scale(session, 'deploy/web', 3, { currentReplicas: 2 });
  await expect(scale(session, 'deploy/web', 1, { currentReplicas: 2 })).rejects.toThrow(
    'Expected replicas to be 2, was 3',
  );
  await whileTimePasses(cluster, rolledOut());
  expect(await get(session, { resource: 'pods' })).toHaveLength(3);
});

test('objects are labelled, annotated, replaced and removed', async () => {
  await create(session, settings);
  await label(session, 'cm/settings', { a: '1', b: '2' });
  expect(await label(session, 'cm/settings', { a: null })).toMatchObject({ metadata: { labels: { b: '2' } } });
  expect(await annotate(session, 'cm/settings', { note: 'x' })).toMatchObject({
    metadata: { annotations: { note: 'x' } },
  });
  expect(await replace(session, { ...settings, data: {} })).not.toHaveProperty('data.colour');
  await expect(create(session, settings)).rejects.toThrow('configmaps "settings" already exists');
  const removed = await whileTimePasses(cluster, remove(session, { resource: 'cm/settings' }, { waitMs: 10_000 }));
  expect(removed).toMatchObject([{ resource: 'configmaps', namespace: 'default', name: 'settings' }]);
  await expect(get(session, { resource: 'cm/settings' })).rejects.toThrow('configmaps "settings" not found');
  expect(await get(session, { resource: 'cm/settings', ignoreNotFound: true })).toEqual([]);
});

test('a node is cordoned, drained and uncordoned', async () => {
  await create(session, web);
  await whileTimePasses(cluster, rolledOut());
  const [node] = await get(session, { resource: 'nodes' });
  const name = (node as { metadata: { name: string } }).metadata.name;
  expect(await cordon(session, name)).toBe(true);
  expect(await cordon(session, name)).toBe(false);
  const steps: string[] = [];
  const gone = await whileTimePasses(cluster, drain(session, name, { onStep: ({ kind }) => steps.push(kind) }));
  expect(gone.length).toBeGreaterThan(0);
  expect(steps).toContain('begin');
  expect(await get(session, { resource: 'pods', fieldSelector: `spec.nodeName=${name}` })).toEqual([]);
  expect(await uncordon(session, name)).toBe(true);

  const alone = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'alone' },
    spec: { nodeName: name, containers: [{ name: 'a', image: 'b' }] },
  };
  await create(session, alone);
  await cluster.settled();
  const refusal = await drain(session, name).catch(formatError);
  expect(refusal).toContain('cannot delete Pods that declare no controller (use --force to override): default/alone');
});

test('logs, explanations and reasons', async () => {
  const metadata = { name: 'chatty', annotations: { 'simulation.coracle.dev/logs': 'hello\nworld' } };
  const spec = { containers: [{ name: 'a', image: 'b' }] };
  await create(session, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const hungry = { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '1000' } } }] };
  await create(session, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hungry' }, spec: hungry });
  await cluster.settled();
  await cluster.clock.advance('5s');

  const lines: string[] = [];
  for await (const line of logs(session, 'chatty')) lines.push(line);
  expect(lines).toEqual(['hello', 'world']);
  expect(await whyPod(session, 'hungry')).toEqual([expect.stringMatching(/^it is not scheduled: .*Insufficient cpu/)]);
  expect(await whyPod(session, 'chatty')).toEqual([]);
  expect(await whyAccess(session, 'delete', 'pods')).toContain('may delete pods in namespace default');
  expect(await explain(session, 'deploy.spec.strategy')).toContain('rollingUpdate');
  await expect(explain(session, 'deploy.spec.nonsense')).rejects.toThrow('field "nonsense" does not exist');
  expect(await exampleManifest(session, 'cronjobs')).toMatch(/^apiVersion: batch\/v1\nkind: CronJob\n/);
});
