import { type Pod, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { type Random, randomInt } from '@coracle/base';
import type { Cluster } from '@coracle/cluster';
import { makeNode } from './builders.fixture.js';
import { podInfoOf } from './cache/pod-info.js';
import { type Finder, schedulerNames } from './finder.fixture.js';
import { driver, podSpecs, zone } from './pod-specs.fixture.js';

/** One change of the cluster, with a description for failures. */
export interface RandomChange {
  readonly text: string;
  apply(): Promise<unknown> | undefined;
}

type Choose = <T>(...choices: readonly T[]) => T;

interface World {
  readonly cluster: Cluster;
  readonly finder: Finder;
  readonly choose: Choose;
  readonly chance: (share: number) => boolean;
}

type Described = readonly [string, () => Promise<unknown> | undefined];

/**
 * A random change that scheduling depends on. Many are impossible, because the object is missing or exists already.
 */
export function randomChange(cluster: Cluster, finder: Finder, random: Random): RandomChange {
  const choose: Choose = (...choices) => choices[randomInt(random, choices.length)] as (typeof choices)[number];
  const world = { cluster, finder, choose, chance: (share: number) => random.next() < share };
  const changes = [...nodeChanges(world), ...podChanges(world), ...volumeChanges(world), ...deviceChanges(world)];
  const adding = changes.filter(([text]) => text.startsWith('add'));
  const [text, apply] = choose(...(world.chance(0.4) ? adding : changes));
  return { text, apply };
}

function changer({ cluster: { client } }: World) {
  return {
    add: <T extends KubeObject>(ref: ResourceRef<T>, object: object, namespace?: string) =>
      client.resource<T>(ref, namespace).create(object as T),
    remove: (ref: ResourceRef<KubeObject>, name: string, namespace?: string) =>
      client.resource(ref, namespace).delete(name, { gracePeriodSeconds: 0 }),
    patch: (ref: ResourceRef<KubeObject>, name: string, patch: object, namespace?: string) =>
      client.resource(ref, namespace).patch(name, patch, { type: 'merge' }),
    status: (ref: ResourceRef<KubeObject>, name: string, status: object, namespace?: string) =>
      client.resource(ref, namespace).patch(name, { status }, { type: 'merge', subresource: 'status' }),
  };
}

function nodeChanges(world: World): Described[] {
  const { choose, chance } = world;
  const { add, remove, patch, status } = changer(world);
  const name = choose('n0', 'n1', 'n2', 'n3', 'n4');
  const made = makeNode(name, {
    labels: chance(0.8) ? { [zone]: choose('a', 'b', 'c') } : {},
    allocatable: { cpu: choose('2', '4', '8'), pods: choose('3', '110') },
    taints: chance(0.3) ? [{ key: 'dedicated', effect: choose('NoSchedule', 'PreferNoSchedule') }] : [],
    images: chance(0.3) ? [{ names: ['app:1'], sizeBytes: 500_000_000 }] : [],
  });
  const { labels } = made.metadata;
  return [
    [`add node ${name}`, () => add(refs.nodes, made)],
    [`remove node ${name}`, () => remove(refs.nodes, name)],
    [`labels of node ${name}`, () => patch(refs.nodes, name, { metadata: { labels: { [zone]: null, ...labels } } })],
    [`taints of node ${name}`, () => patch(refs.nodes, name, { spec: { taints: made.spec?.taints } })],
    [`cordon node ${name}`, () => patch(refs.nodes, name, { spec: { unschedulable: chance(0.5) } })],
    [`status of node ${name}`, () => status(refs.nodes, name, made.status ?? {})],
  ];
}

function podChanges(world: World): Described[] {
  const { finder, choose, chance } = world;
  const { add, patch } = changer(world);
  const namespace = choose('default', 'other');
  const kind = choose(...Object.keys(podSpecs));
  const priorityClassName = chance(0.3) ? 'high' : undefined;
  const spec = { ...podSpecs[kind], schedulerName: choose(...schedulerNames), priorityClassName };
  const metadata = { generateName: 'p-', namespace, labels: { app: choose('a', 'b') } };
  const nodeName = choose('n0', 'n1', 'n2', 'n3', 'n4');
  const team = { metadata: { labels: { team: choose('x', 'y') } } };
  const pods = finder.informers.for(refs.pods).list();
  return [
    [`add ${kind} to ${nodeName}`, () => add(refs.pods, { metadata, spec: { ...spec, nodeName } }, namespace)],
    [`add waiting ${kind}`, () => add(refs.pods, { metadata, spec }, namespace)],
    [`labels of namespace ${namespace}`, () => patch(refs.namespaces, namespace, team)],
    ...(pods.length > 0 ? changesOf(choose(...pods), nodeName, world) : []),
  ];
}

function changesOf(pod: Pod, node: string, world: World): Described[] {
  const { choose, chance, finder, cluster } = world;
  const { patch, remove, status } = changer(world);
  const { name = '', namespace, uid = '' } = pod.metadata;
  const pods = cluster.client.resource<Pod>(refs.pods, namespace);
  const requests = { cpu: choose('100m', '1', '2'), memory: choose('1Gi', '256Mi') };
  const running = { name: 'app', image: 'a', imageID: 'a', ready: true, restartCount: 0, resources: { requests } };
  const isAssumed = finder.cache.isAssumed(uid);
  const always: Described[] = [
    [`remove ${name}`, () => remove(refs.pods, name, namespace)],
    [`terminate ${name}`, () => pods.delete(name, { gracePeriodSeconds: 30 })],
  ];
  if (pod.spec?.nodeName)
    return [
      ...always,
      [
        `labels of ${name}`,
        () => patch(refs.pods, name, { metadata: { labels: { app: choose('a', 'b') } } }, namespace),
      ],
      [`end ${name}`, () => status(refs.pods, name, { phase: 'Succeeded' }, namespace)],
      [`resources of ${name}`, () => status(refs.pods, name, { containerStatuses: [running] }, namespace)],
      [`resize ${name}`, () => resize(pods, name, requests)],
    ];
  const nominatedNodeName = chance(0.3) ? null : node;
  const assume = () => {
    finder.nominated.remove(uid);
    finder.cache.assume(podInfoOf(pod), node);
  };
  return [
    ...always,
    [`nominate ${name}`, () => status(refs.pods, name, { nominatedNodeName }, namespace)],
    [`assume ${name}`, () => void (isAssumed ? finder.cache.forget(uid) : assume())],
  ];
}

function resize(pods: ReturnType<Cluster['client']['resource']>, name: string, requests: object): Promise<unknown> {
  const spec = { containers: [{ name: 'app', resources: { requests } }] };
  return pods.patch(name, { spec }, { type: 'strategic', subresource: 'resize' });
}

function volumeChanges(world: World): Described[] {
  const { choose, chance } = world;
  const { add, remove, patch } = changer(world);
  const namespace = choose('default', 'other');
  const [claim, volume, node] = [choose('pvc-0', 'pvc-1'), choose('pv-0', 'pv-1', 'pv-2'), choose('n0', 'n1', 'n2')];
  const csi = 'csi.example.com';
  const inZone = { matchExpressions: [{ key: zone, operator: 'In', values: [choose('a', 'b')] }] };
  const common = { accessModes: [choose('ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod')] };
  const volumeSpec = {
    ...{ ...common, storageClassName: 'wait', capacity: { storage: choose('1Gi', '2Gi') } },
    csi: { driver: csi, volumeHandle: volume },
    ...(chance(0.5) && { nodeAffinity: { required: { nodeSelectorTerms: [inZone] } } }),
  };
  const claimSpec = {
    ...{ ...common, storageClassName: choose('wait', 'made') },
    resources: { requests: { storage: '1Gi' } },
  };
  const madeClass = {
    ...{ metadata: { name: 'made' }, provisioner: csi, volumeBindingMode: 'WaitForFirstConsumer' },
    ...(chance(0.5) && { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['a'] }] }] }),
  };
  const drivers = [{ name: csi, nodeID: node, topologyKeys: [], allocatable: { count: choose(0, 1) } }];
  const labels = chance(0.5) ? { [zone]: choose('a', 'b') } : {};
  return [
    [
      `add pvc ${claim}`,
      () => add(refs.persistentVolumeClaims, { metadata: { name: claim }, spec: claimSpec }, namespace),
    ],
    [`remove pvc ${claim}`, () => remove(refs.persistentVolumeClaims, claim, namespace)],
    [`bind ${claim}`, () => patch(refs.persistentVolumeClaims, claim, { spec: { volumeName: volume } }, namespace)],
    [`add pv ${volume}`, () => add(refs.persistentVolumes, { metadata: { name: volume, labels }, spec: volumeSpec })],
    [`remove pv ${volume}`, () => remove(refs.persistentVolumes, volume)],
    ['add storage class', () => add(refs.storageClasses, madeClass)],
    ['remove storage class', () => remove(refs.storageClasses, 'made')],
    [`add csinode ${node}`, () => add(refs.csiNodes, { metadata: { name: node }, spec: { drivers } })],
    [`remove csinode ${node}`, () => remove(refs.csiNodes, node)],
    ['add csidriver', () => add(refs.csiDrivers, { metadata: { name: csi }, spec: { storageCapacity: true } })],
    ['remove csidriver', () => remove(refs.csiDrivers, csi)],
  ];
}

function deviceChanges(world: World): Described[] {
  const { choose, chance } = world;
  const { add, remove, patch, status } = changer(world);
  const namespace = choose('default', 'other');
  const [node, claim] = [choose('n0', 'n1', 'n2'), choose('claim-0', 'claim-1', 'claim-2', 'claim-3')];
  const expression = `device.attributes['${driver}'].model == '${choose('x', 'y')}'`;
  const selectors = { selectors: chance(0.5) ? [{ cel: { expression } }] : null };
  const classSpec = { ...selectors, extendedResourceName: chance(0.7) ? 'example.com/gpu' : null };
  const count = chance(0.2) ? { allocationMode: 'All' } : { count: choose(1, 2) };
  const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu', ...count, ...selectors } }];
  const taints = chance(0.2) ? [{ key: 'bad', effect: 'NoSchedule' }] : [];
  const devices = ['d0', 'd1', 'd2'].slice(choose(0, 1, 2)).map((name) => ({
    ...{ name, taints, attributes: { model: { string: choose('x', 'y') } } },
  }));
  const inZone = { matchExpressions: [{ key: zone, operator: 'In', values: [choose('a', 'b')] }] };
  const place = chance(0.7) ? { nodeName: node } : { nodeSelector: { nodeSelectorTerms: [inZone] } };
  const pool = { name: node, generation: 1, resourceSliceCount: chance(0.9) ? 1 : 2 };
  const allocation = { devices: { results: [{ request: 'r', driver, pool: node, device: choose('d0', 'd1') }] } };
  return [
    [
      `add slice ${node}`,
      () => add(refs.resourceSlices, { metadata: { name: node }, spec: { driver, pool, devices, ...place } }),
    ],
    [`devices of slice ${node}`, () => patch(refs.resourceSlices, node, { spec: { pool, devices } })],
    [`remove slice ${node}`, () => remove(refs.resourceSlices, node)],
    ['add device class', () => add(refs.deviceClasses, { metadata: { name: 'gpu' }, spec: classSpec })],
    ['device class', () => patch(refs.deviceClasses, 'gpu', { spec: classSpec })],
    ['remove device class', () => remove(refs.deviceClasses, 'gpu')],
    [
      `add ${claim}`,
      () => add(refs.resourceClaims, { metadata: { name: claim }, spec: { devices: { requests } } }, namespace),
    ],
    [`remove ${claim}`, () => remove(refs.resourceClaims, claim, namespace)],
    [`allocate ${claim}`, () => status(refs.resourceClaims, claim, { allocation }, namespace)],
    [
      `deallocate ${claim}`,
      () => status(refs.resourceClaims, claim, { allocation: null, reservedFor: null }, namespace),
    ],
  ];
}
