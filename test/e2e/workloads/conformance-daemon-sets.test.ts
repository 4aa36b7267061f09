import type { DaemonSet, Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { 'daemonset-name': 'daemon-set' };

/** The steps of upstream's conformance tests of daemon sets. */
describe('daemon sets as the conformance tests use them', () => {
  let cluster: Cluster;
  let nodes: string[] = [];
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
    await cluster.settled();
    nodes = (await cluster.client.nodes().list()).items.map(({ metadata }) => metadata.name ?? '');
  });
  afterEach(() => cluster.stop());

  const sets = () => cluster.client.daemonSets('default');
  const pods = () => cluster.client.pods('default');
  const all = async (): Promise<Pod[]> => (await pods().list()).items;
  const available = async () =>
    (await all())
      .filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running')
      .map(({ spec }) => spec?.nodeName)
      .sort();
  const create = async (podSpec: object = {}) => {
    const spec = { containers: [{ name: 'app', image: 'httpd:1' }], ...podSpec };
    const template = { metadata: { labels }, spec };
    await sets().create({ metadata: { name: 'ds' }, spec: { selector: { matchLabels: labels }, template } });
    await cluster.settled();
  };
  const setImage = async (image: string, annotations: Record<string, string | null>) => {
    const template = { metadata: { annotations }, spec: { containers: [{ name: 'app', image }] } };
    await sets().patch('ds', { spec: { template } } as Partial<DaemonSet>, { type: 'strategic' });
    await cluster.clock.advance('1m');
  };

  test('should run and stop simple daemon: a pod that is deleted is made again', async () => {
    await create();
    expect(await available()).toEqual(nodes);
    await pods().delete((await all())[0]?.metadata.name ?? '');
    await cluster.clock.advance('1m');
    expect(await available()).toEqual(nodes);
  });

  test('should run and stop complex daemon', async () => {
    const color = 'daemonset-color';
    const [node = ''] = nodes;
    const paint = async (value: string) => {
      const current = await cluster.client.nodes().get(node);
      const { metadata } = current;
      await cluster.client
        .nodes()
        .update({ ...current, metadata: { ...metadata, labels: { ...metadata.labels, [color]: value } } });
      await cluster.clock.advance('1m');
    };
    await create({ nodeSelector: { [color]: 'blue' } });
    expect(await available()).toEqual([]);
    await paint('blue');
    expect(await available()).toEqual([node]);
    await paint('green');
    expect(await available()).toEqual([]);
    const template = { spec: { nodeSelector: { [color]: 'green' } } };
    await sets().patch('ds', { spec: { template, updateStrategy: { type: 'RollingUpdate' } } }, { type: 'strategic' });
    await cluster.clock.advance('1m');
    expect(await available()).toEqual([node]);
    const { desiredNumberScheduled, currentNumberScheduled, numberReady } = (await sets().get('ds')).status ?? {};
    expect([desiredNumberScheduled, currentNumberScheduled, numberReady]).toEqual([1, 1, 1]);
  });

  test('should retry creating failed daemon pods, whatever version their status was read at', async () => {
    await create();
    const [pod] = await all();
    const { resourceVersion: _version, ...metadata } = pod?.metadata ?? {};
    await pods().updateStatus({ ...pod, metadata, status: { ...pod?.status, phase: 'Failed' } });
    await cluster.clock.advance('1m');
    expect(await available()).toEqual(nodes);
    await expect(pods().get(metadata.name ?? '')).rejects.toMatchObject({ status: { code: 404 } });
  });

  test('should rollback without unnecessary restarts', async () => {
    await create();
    await setImage('foo:non-existent', { 'simulation.coracle.dev/pull-error': 'not found' });
    const during = await all();
    const images = during.map(({ spec }) => spec?.containers?.[0]?.image);
    expect(images.sort()).toEqual(['foo:non-existent', 'httpd:1']);
    const existing = during.find(({ spec }) => spec?.containers?.[0]?.image === 'httpd:1')?.metadata.uid;
    await setImage('httpd:1', { 'simulation.coracle.dev/pull-error': null });
    expect(await available()).toEqual(nodes);
    expect((await all()).map(({ metadata }) => metadata.uid)).toContain(existing);
  });
});
