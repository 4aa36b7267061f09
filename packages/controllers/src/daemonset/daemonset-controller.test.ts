import type { DaemonSet, Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { app: 'agent' };

describe('daemon sets', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 3, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const daemonSets = () => cluster.client.daemonSets('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const nodesOf = async () => (await pods()).map(({ spec }) => spec?.nodeName).sort();
  const names = async () =>
    (await cluster.client.nodes().list()).items.map(({ metadata }) => metadata.name ?? '').sort();

  const make = async (spec: Partial<NonNullable<DaemonSet['spec']>> = {}) => {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
    await daemonSets().create({
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: labels }, template, ...spec },
    });
    await cluster.settled();
  };
  const setImage = async (image: string) => {
    const patch = { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } };
    await daemonSets().patch('agent', patch, { type: 'strategic' });
    await cluster.settled();
  };
  const taint = async (name: string, effect: string) => {
    await cluster.client.nodes().patch(name, { spec: { taints: [{ key: 'k', effect }] } }, { type: 'merge' });
    await cluster.settled();
  };

  test('run one pod on each node, bound to it, with tolerations for node conditions', async () => {
    await make();
    expect(await nodesOf()).toEqual(await names());
    const [pod] = await pods();
    expect(pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [pod?.spec?.nodeName] }] }],
    });
    expect(pod?.spec?.tolerations).toContainEqual({
      key: 'node.kubernetes.io/unschedulable',
      operator: 'Exists',
      effect: 'NoSchedule',
    });
    expect((await daemonSets().get('agent')).status).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
  });

  test('report the desired number of pods while a quota rejects them', async () => {
    await cluster.client
      .resourceQuotas('default')
      .create({ metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
    await cluster.settled();
    await make();
    expect(await pods()).toEqual([]);
    expect((await daemonSets().get('agent')).status).toMatchObject({
      observedGeneration: 1,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 0,
      numberUnavailable: 3,
    });
  });

  test('leave nodes with NoExecute taints, and stay on nodes with NoSchedule taints', async () => {
    await make();
    const [first = '', second = ''] = await names();
    await taint(first, 'NoExecute');
    await taint(second, 'NoSchedule');
    await cluster.clock.advance('1m');
    expect(await nodesOf()).toEqual((await names()).slice(1));
    expect((await daemonSets().get('agent')).status).toMatchObject({
      desiredNumberScheduled: 1,
      numberMisscheduled: 1,
    });
  });

  test('roll out one node at a time, with a revision for each template', async () => {
    await make();
    await setImage('i:2');
    await cluster.clock.advance('5m');
    expect((await pods()).map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(['i:2', 'i:2', 'i:2']);
    const revisions = (await cluster.client.controllerRevisions('default').list()).items;
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
    expect((await daemonSets().get('agent')).status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  test('go back to an earlier revision under a new number', async () => {
    await make();
    await setImage('i:2');
    await cluster.clock.advance('5m');
    await setImage('i:1');
    await cluster.clock.advance('5m');
    const revisions = (await cluster.client.controllerRevisions('default').list()).items;
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
  });

  test('change nothing with OnDelete', async () => {
    await make({ updateStrategy: { type: 'OnDelete' } });
    await setImage('i:2');
    await cluster.clock.advance('5m');
    const [pod] = await pods();
    await cluster.client.pods('default').delete(pod?.metadata.name ?? '');
    await cluster.clock.advance('1m');
    const images = (await pods()).map(({ spec }) => spec?.containers?.[0]?.image);
    expect(images.sort()).toEqual(['i:1', 'i:1', 'i:2']);
  });

  test('let new pods come up beside old ones when they may surge', async () => {
    await make({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    let least = 3;
    await setImage('i:2');
    for (let step = 0; step < 60; step++) {
      least = Math.min(least, (await pods()).filter(isReady).length);
      await cluster.clock.advance('1s');
    }
    expect((await pods()).map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(['i:2', 'i:2', 'i:2']);
    expect(least).toBe(3);
  });

  test('replace failed pods with backoff', async () => {
    await make();
    const [pod] = await pods();
    const fail = (one: Pod) =>
      cluster.client.pods('default').updateStatus({ ...one, status: { ...one.status, phase: 'Failed' } });
    await fail(pod as Pod);
    await cluster.clock.advance('2s');
    expect((await pods()).filter(({ status }) => status?.phase === 'Failed')).toHaveLength(0);
    expect(await pods()).toHaveLength(3);
    const events = (await cluster.client.events('default').list()).items;
    expect(events.map(({ reason }) => reason)).toContain('FailedDaemonPod');
  });

  test('delete a pod once when its node no longer fits the template', async () => {
    await make();
    const patch = { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } };
    await daemonSets().patch('agent', patch, { type: 'strategic' });
    await cluster.settled();
    const events = (await cluster.client.events('default').list()).items;
    const deletions = events.filter(({ reason }) => reason === 'SuccessfulDelete');
    expect(deletions.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3);
  });
});

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
