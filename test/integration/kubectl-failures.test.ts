import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, type Output, web } from './kubectl.js';

let cluster: Cluster;
const run = (...words: string[]): Promise<Output> => kubectl(cluster, words);

const selector = { matchLabels: { app: 'other' } };
const template = {
  metadata: { labels: { app: 'other' } },
  spec: { containers: [{ name: 'c', image: 'a' }] },
};
const namespace = 'default';

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  const { client } = cluster;
  await client.deployments(namespace).create(web);
  await client
    .statefulSets(namespace)
    .create({ metadata: { name: 'db', namespace }, spec: { serviceName: 'db', selector, template } });
  await client.daemonSets(namespace).create({ metadata: { name: 'ds', namespace }, spec: { selector, template } });
  await client.jobs(namespace).create({
    metadata: { name: 'job', namespace },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'a' }] } } },
  });
  await client.configMaps(namespace).create({ metadata: { name: 'conf', namespace }, data: { a: 'b' } });
  await cluster.settled();
});
afterAll(() => cluster.stop());

describe('rollout', () => {
  test.each([
    ['undo', 'sts/db', 'no last revision to roll back to'],
    ['undo', 'ds/ds', 'no last revision to roll back to'],
    ['undo', 'deploy/web', 'no rollout history found for deployment "web"'],
    ['undo', 'job/job', 'no rollbacker has been implemented for "Job.batch"'],
    ['undo', 'cm/conf', 'error retrieving rollbacker for "ConfigMap", no visitor method exists for { ConfigMap}'],
    ['history', 'job/job', 'no history viewer has been implemented for "Job.batch"'],
    ['history', 'cm/conf', 'error retrieving history for "ConfigMap", no visitor method exists for { ConfigMap}'],
    ['status', 'job/job', 'no status viewer has been implemented for Job.batch'],
  ])('%s %s fails with its reason', async (verb, target, reason) => {
    expect(await run('rollout', verb, target)).toEqual({ code: 1, out: '', err: `error: ${reason}\n` });
  });

  test.each(['sts/db', 'ds/ds'])('the history of %s is printed as the workload of each revision', async (target) => {
    const { out } = await run('rollout', 'history', target, '--revision=1', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      kind: target === 'ds/ds' ? 'DaemonSet' : 'StatefulSet',
      spec: { template: { spec: { containers: [{ name: 'c', image: 'a' }] } } },
    });
  });
});

describe('replace --force', () => {
  test.each(['client', 'server'])('with --dry-run=%s touches nothing', async (dryRun) => {
    const file = { '/project/c.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"}}' };
    const before = await cluster.client.configMaps(namespace).get('conf');
    expect(
      await kubectl(cluster, ['replace', '--force', '-f', 'c.json', `--dry-run=${dryRun}`], { files: file }),
    ).toEqual({ code: 1, out: '', err: 'error: --dry-run can not be used when --force is set\n' });
    expect(await cluster.client.configMaps(namespace).get('conf')).toEqual(before);
  });
});

test('create deployment --port opens the port of the first container', async () => {
  const words = ['create', 'deployment', 'x', '--image=a', '--image=b', '--port=80', '--dry-run=client', '-o', 'json'];
  const { containers } = JSON.parse((await run(...words)).out).spec.template.spec;
  expect(containers).toMatchObject([{ ports: [{ containerPort: 80 }] }, { image: 'b' }]);
  expect(containers[1]).not.toHaveProperty('ports');
});

describe('set', () => {
  test('resources of a container that is not there is a failure', async () => {
    expect(await run('set', 'resources', 'deploy/web', '-c=nosuch', '--limits=cpu=1')).toEqual({
      code: 1,
      out: '',
      err: 'error: unable to find container named nosuch\n',
    });
  });

  test('env of a container that is not there is a warning', async () => {
    const err = 'Warning: Deployment/web does not have any containers matching "nosuch"\n';
    expect(await run('set', 'env', 'deploy/web', '-c=nosuch', 'A=b')).toEqual({ code: 0, out: '', err });
    expect(await run('set', 'env', 'deploy/web', '-c=nosuch', '--list')).toEqual({ code: 0, out: '', err });
  });

  test.each([
    ['a in (b),!c', 'match expression [{a In [b]} {c DoesNotExist []}] not supported on this object'],
    ['a!=b', '"!=" is not a valid label selector operator'],
  ])('selector %s is refused', async (text, reason) => {
    const manifest = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: {} };
    const files = { '/project/s.json': JSON.stringify(manifest) };
    const words = ['set', 'selector', '--local', '-f', 's.json', text];
    expect((await kubectl(cluster, words, { files })).err).toBe(`error: ${reason}\n`);
  });

  test('--local names the object that has no pod template', async () => {
    const files = { '/project/c.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"}}' };
    const { err } = await kubectl(cluster, ['set', 'image', '--local', '-f', 'c.json', '*=x'], { files });
    expect(err).toMatch(/^error: configmap\/conf the object is not a pod or does not have a pod template/);
  });
});

describe('of several failures', () => {
  test.each([
    [
      ['wait', 'pods', '-l', 'app=web', '--for=condition=Strange', '--timeout=0'],
      /^(condition not met for pods\/web-\S+\n){2}$/,
    ],
    [['rollout', 'restart', 'job/job', 'cm/conf'], /^(error: \S+ "\w+" restarting is not supported\n){2}$/],
    [
      ['scale', 'ds,deploy', 'web', '--replicas=1', '--current-replicas=8'],
      /^error: Expected replicas to be 8, was 2\n$/,
    ],
    [['cordon', 'n1', 'n2'], /^Error from server \(NotFound\): nodes "n1" not found\n$/],
  ])('%j prints those of Kubernetes', async (words, expected) => {
    expect((await run(...words)).err).toMatch(expected);
  });
});
