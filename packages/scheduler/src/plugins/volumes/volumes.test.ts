import { type PersistentVolume, type PersistentVolumeClaim, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeNodeInfo, makePod, makePodInfo } from '../../builders.fixture.js';
import { CycleState } from '../../framework/cycle-state.js';
import { makeProfile } from '../../framework/profile.fixture.js';
import { selectVictims } from '../../preemption/select-victims.js';
import { prioritySort } from '../priority-sort.js';
import { nodeVolumeLimits } from './node-volume-limits.js';
import { conflicts, planVolumes } from './plan-volumes.js';
import { readPodClaims } from './pod-claims.js';
import type { VolumeListers } from './volume-listers.js';
import { volumeRestrictions } from './volume-restrictions.js';
import { volumeZone } from './volume-zone.js';

const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };

function claim(
  name: string,
  parts: { spec?: object; annotations?: Record<string, string>; phase?: string } = {},
): PersistentVolumeClaim {
  return {
    metadata: { name, namespace: 'default', uid: name, ...(parts.annotations && { annotations: parts.annotations }) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      resources: { requests: { storage: '1Gi' } },
      ...parts.spec,
    },
    status: { phase: parts.phase ?? 'Pending' },
  };
}

function volume(name: string, spec: object = {}, labels: Record<string, string> = {}): PersistentVolume {
  return {
    metadata: { name, labels },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'late', ...spec },
    status: { phase: 'Available' },
  };
}

const onNode = (name: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  },
});

function listersOf(parts: {
  claims?: PersistentVolumeClaim[];
  volumes?: PersistentVolume[];
  classes?: Record<string, object>;
  limit?: number;
}): VolumeListers {
  const { claims = [], volumes = [], classes = {}, limit } = parts;
  const classOf = (name: string) =>
    classes[name] && { metadata: { name }, provisioner: 'csi.example.com', ...classes[name] };
  return {
    claim: (key) => claims.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesFor: () => volumes,
    storageClass: (name) => classOf(name) || undefined,
    csiNode: (name) =>
      limit === undefined
        ? undefined
        : {
            metadata: { name },
            spec: { drivers: [{ name: 'csi.example.com', nodeID: name, allocatable: { count: limit } }] },
          },
    csiDriver: () => undefined,
    capacities: () => [],
    attachmentsOn: () => [],
  };
}

const late = { late: { volumeBindingMode: 'WaitForFirstConsumer' } };
const user = (...names: string[]) =>
  makePod('user', { spec: { volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) } });

describe('the claims of a pod', () => {
  test.each([
    ['that are not there', [], 'persistentvolumeclaim "c" not found'],
    [
      'that are lost',
      [claim('c', { phase: 'Lost', spec: { volumeName: 'v' } })],
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    ],
    [
      'that wait for no consumer',
      [claim('c', { spec: { storageClassName: 'now' } })],
      'pod has unbound immediate PersistentVolumeClaims',
    ],
  ])('%s keep it from every node', (_name, claims, reason) => {
    expect(readPodClaims(user('c'), listersOf({ claims, classes: late }))).toEqual({ kind: 'refused', reason });
  });
});

describe('planning volumes on a node', () => {
  const node = makeNodeInfo('a').node;
  const plan = (parts: Parameters<typeof listersOf>[0], names: string[], nominated = '') => {
    const listers = listersOf({ classes: late, ...parts });
    const result = readPodClaims(user(...names), listers);
    if (result.kind === 'refused') throw new Error(result.reason);
    const assumedFor = (name: string) => (name === nominated ? 'default/other' : undefined);
    const planned = planVolumes({ claims: result.claims, node, listers, assumedFor });
    if (planned.kind === 'conflict') return planned.reasons;
    const { bindings, provisions } = planned.plan;
    return {
      bind: bindings.map((one) => `${one.claim.metadata.name}=${one.volume.metadata.name}`),
      provision: provisions.map(({ metadata }) => metadata.name),
    };
  };
  const settled = claim('c', { annotations: bound, spec: { volumeName: 'v' } });

  test.each([
    [
      'a bound volume that can be reached',
      { claims: [settled], volumes: [volume('v', onNode('a'))] },
      { bind: [], provision: [] },
    ],
    ['a bound volume of another node', { claims: [settled], volumes: [volume('v', onNode('b'))] }, [conflicts.node]],
    ['a bound volume that is gone', { claims: [settled] }, [conflicts.missing]],
    [
      'a free volume of the node',
      { claims: [claim('c')], volumes: [volume('far', onNode('b')), volume('near', onNode('a'))] },
      { bind: ['c=near'], provision: [] },
    ],
    ['no volume, and a driver', { claims: [claim('c')] }, { bind: [], provision: ['c'] }],
    [
      'no volume, and no driver',
      { claims: [claim('c')], classes: { late: { ...late.late, provisioner: 'kubernetes.io/no-provisioner' } } },
      [conflicts.bind],
    ],
    [
      'another node was chosen before',
      { claims: [claim('c', { annotations: { 'volume.kubernetes.io/selected-node': 'b' } })] },
      [conflicts.bind],
    ],
  ])('%s', (_name, parts, expected) => {
    expect(plan(parts, ['c'])).toEqual(expected);
  });

  test('two claims get a volume each, the smaller claim the smaller one', () => {
    const large = claim('large', { spec: { resources: { requests: { storage: '2Gi' } } } });
    const volumes = [volume('two', { capacity: { storage: '2Gi' } }), volume('one')];
    expect(plan({ claims: [large, claim('small')], volumes }, ['large', 'small'])).toEqual({
      bind: ['small=one', 'large=two'],
      provision: [],
    });
  });

  test('a volume that is assumed for another pod is not used', () => {
    expect(plan({ claims: [claim('c')], volumes: [volume('v')] }, ['c'], 'v')).toEqual({ bind: [], provision: ['c'] });
  });
});

test('VolumeZone keeps a pod to the zone of its volume', () => {
  const listers = listersOf({
    claims: [claim('c', { spec: { volumeName: 'v' } })],
    volumes: [volume('v', {}, { 'topology.kubernetes.io/zone': 'x__y' })],
  });
  const plugin = volumeZone(listers);
  const state = new CycleState([]);
  const pod = makePodInfo('p', { spec: user('c').spec ?? {} });
  plugin.preFilter(state, pod, []);
  const verdict = (zone: string) =>
    plugin.filter(state, pod, makeNodeInfo('n', { labels: { 'topology.kubernetes.io/zone': zone } })).kind;
  expect([verdict('x'), verdict('y'), verdict('z')]).toEqual(['fits', 'fits', 'unschedulable-and-unresolvable']);
});

describe('VolumeRestrictions keeps a ReadWriteOncePod claim to one pod', () => {
  const claims = [claim('c', { spec: { accessModes: ['ReadWriteOncePod'] } }), claim('d')];
  const plugin = volumeRestrictions(listersOf({ claims }));
  const pod = makePodInfo('p', { priority: 10, spec: user('c').spec ?? {} });
  const makeUser = (name: string) => makePodInfo(`of-${name}`, { spec: user(name).spec ?? {} });
  const taken = {
    kind: 'unschedulable',
    reasons: ['node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'],
  };

  test('on any node, as long as that pod is there', () => {
    const other = makeUser('c');
    const busy = makeNodeInfo('n', { pods: [other] });
    const state = new CycleState([busy]);
    expect(plugin.preFilter(state, pod, [busy]).kind).toBe('ready');
    expect(plugin.filter(state, pod, busy)).toEqual(taken);
    expect(plugin.filter(state, pod, makeNodeInfo('free'))).toEqual(taken);

    const without = state.clone();
    plugin.removePod?.(without, pod, { other, node: busy });
    expect(plugin.filter(without, pod, busy)).toEqual({ kind: 'fits' });
    expect(plugin.filter(state, pod, busy)).toEqual(taken);
  });

  test('skips the pod while no pod uses it', () => {
    const node = makeNodeInfo('n', { pods: [makeUser('d')] });
    expect(plugin.preFilter(new CycleState([node]), pod, [node]).kind).toBe('skip');
  });

  test('preemption evicts the pod that uses it, and no other', () => {
    const node = makeNodeInfo('n', { pods: [makeUser('c'), makeUser('d')] });
    const state = new CycleState([node]);
    const profile = makeProfile([prioritySort, plugin].map((one) => ({ plugin: one })));
    plugin.preFilter(state, pod, [node]);
    expect(selectVictims({ state, pod, node, profile, budgets: [] })).toMatchObject({ pods: [{ uid: 'of-c' }] });
  });
});

test('NodeVolumeLimits counts the volumes of a driver once each', () => {
  const csi = (handle: string) => ({ csi: { driver: 'csi.example.com', volumeHandle: handle } });
  const claims = ['a', 'b', 'c'].map((name) => claim(name, { annotations: bound, spec: { volumeName: name } }));
  const listers = listersOf({ claims, volumes: ['a', 'b', 'c'].map((name) => volume(name, csi(name))), limit: 2 });
  const node = makeNodeInfo('n', { pods: [makePodInfo('other', { spec: user('a', 'b').spec ?? {} })] });
  const plugin = nodeVolumeLimits(listers);
  const verdict = (name: string) => {
    const state = new CycleState([node]);
    const pod = makePodInfo('p', { spec: user(name).spec ?? {} });
    plugin.preFilter(state, pod, [node]);
    return plugin.filter(state, pod, node);
  };
  expect(verdict('b').kind).toBe('fits');
  expect(verdict('c')).toEqual({ kind: 'unschedulable', reasons: ['node(s) exceed max volume count'] });
});

test('NodeVolumeLimits does not count inline CSI volumes: they are not attached', () => {
  const inline = (...names: string[]) => ({
    volumes: names.map((name) => ({ name, csi: { driver: 'csi.example.com' } })),
  });
  const claims = [claim('a', { annotations: bound, spec: { volumeName: 'a' } })];
  const volumes = [volume('a', { csi: { driver: 'csi.example.com', volumeHandle: 'a' } })];
  const plugin = nodeVolumeLimits(listersOf({ claims, volumes, limit: 1 }));
  const node = makeNodeInfo('n', { pods: [makePodInfo('other', { spec: inline('x', 'y') })] });
  const state = new CycleState([node]);
  expect(plugin.preFilter(state, makePodInfo('p', { spec: inline('x') }), [node])).toEqual({ kind: 'skip' });
  const pod = makePodInfo('p', { spec: { volumes: [...(user('a').spec?.volumes ?? []), ...inline('x').volumes] } });
  expect(plugin.preFilter(state, pod, [node]).kind).toBe('ready');
  expect(plugin.filter(state, pod, node).kind).toBe('fits');
});

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2 });
  });
  afterEach(() => cluster.stop());

  test('a claim that waits for its consumer is bound to a volume of the node that the pod gets', async () => {
    const { client } = cluster;
    const [, second] = (await client.nodes().list()).items;
    const nodeName = second?.metadata.name ?? '';
    await client.resource(refs.storageClasses).create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'late' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const local = { ...volume('local', onNode(nodeName)), apiVersion: 'v1', kind: 'PersistentVolume' };
    await client
      .resource(refs.persistentVolumes)
      .create({ ...local, spec: { ...local.spec, hostPath: { path: '/x' } } });
    const { metadata: _uid, status: _status, ...claimWithoutUid } = claim('c');
    await client
      .resource(refs.persistentVolumeClaims, 'default')
      .create({ ...claimWithoutUid, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } });
    const { spec } = user('c');
    await client.pods('default').create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'user' },
      spec: { ...spec, containers: [{ name: 'c', image: 'i' }] },
    });
    await cluster.settled();
    expect((await client.pods('default').get('user')).spec?.nodeName).toBe(nodeName);
    expect((await client.resource(refs.persistentVolumeClaims, 'default').get('c')).status?.phase).toBe('Bound');
  });

  test('a ReadWriteOncePod claim goes to the pod of the highest priority; the message of others names the reason', async () => {
    const { client } = cluster;
    await client.resource(refs.priorityClasses).create({ metadata: { name: 'high' }, value: 1000 });
    const exclusive = { accessModes: ['ReadWriteOncePod'], storageClassName: 'manual' };
    const { spec } = volume('v', { ...exclusive, hostPath: { path: '/x' } });
    await client.resource(refs.persistentVolumes).create({ metadata: { name: 'v' }, spec: { ...spec } });
    const resources = { requests: { storage: '1Gi' } };
    await client
      .resource(refs.persistentVolumeClaims, 'default')
      .create({ metadata: { name: 'c' }, spec: { ...exclusive, resources } });
    await cluster.settled();
    const pods = client.pods('default');
    const create = async (name: string, more: object = {}) => {
      const own = { ...user('c').spec, containers: [{ name: 'c', image: 'i' }], ...more };
      await pods.create({ metadata: { name }, spec: own });
      await cluster.settled();
      return pods.get(name);
    };
    expect((await create('first')).spec?.nodeName).toBeDefined();

    const { status } = await create('equal');
    expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toBe(
      '0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod ' +
        'access mode. no new claims to deallocate, preemption: 0/2 nodes are available: ' +
        '2 No preemption victims found for incoming pod.',
    );

    await create('vip', { priorityClassName: 'high' });
    await cluster.clock.advance('1m');
    expect((await pods.get('vip')).spec?.nodeName).toBeDefined();
    await expect(pods.get('first')).rejects.toThrow('not found');
  });
});
