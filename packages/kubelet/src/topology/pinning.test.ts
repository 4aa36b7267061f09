import type { Container, Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings, type KubeletSettings } from '../settings.js';
import { formatCpuSet, parseCpuSet } from './cpu-set.js';
import type { MachineTopology } from './machine-topology.js';
import { PodPinning } from './pod-pinning.js';
import { takeCpus } from './take-cpus.js';
import { mergeHints } from './topology-hints.js';

const gibi = 2 ** 30;
/**
 * Two sockets, each a NUMA node with two cores of two threads: 0 and 4 share a core, 2 and 6 are on the second socket.
 */
const machine: MachineTopology = {
  cpus: [0, 1, 2, 3, 4, 5, 6, 7].map((id) => ({
    id,
    core: id % 4,
    socket: id % 4 < 2 ? 0 : 1,
    numaNode: id % 4 < 2 ? 0 : 1,
  })),
  memory: new Map([
    [0, { memory: 4 * gibi }],
    [1, { memory: 4 * gibi }],
  ]),
};

test.each([
  ['', []],
  ['0-3,8', [0, 1, 2, 3, 8]],
  ['5,1-2', [1, 2, 5]],
])('the list %j', (text, cpus) => {
  expect(parseCpuSet(text)).toEqual(cpus);
  expect(parseCpuSet(formatCpuSet(cpus))).toEqual(cpus);
});

test.each(['a', '3-1', '1,,2'])('the list %j is refused', (text) => {
  expect(() => parseCpuSet(text)).toThrow('unable to parse');
});

describe('CPUs are allocated near to each other', () => {
  test.each([
    { free: '0-7', count: 4, takes: '0-1,4-5' },
    { free: '0-7', count: 2, takes: '0,4' },
    { free: '0-7', count: 1, takes: '0' },
    { free: '1-7', count: 1, takes: '4' },
    { free: '1-7', count: 5, takes: '1-3,5-7' },
    { free: '2-3,6', count: 2, takes: '2,6' },
  ])('$count of $free', ({ free, count, takes }) => {
    const taken = takeCpus(machine, new Set(parseCpuSet(free)), count);
    expect(taken).toHaveLength(count);
    if (count !== 5) expect(formatCpuSet(taken)).toBe(takes);
  });

  test('not more than there are', () => {
    expect(() => takeCpus(machine, new Set([1, 2]), 3)).toThrow(
      'not enough cpus available to satisfy request: requested=3, available=2',
    );
  });
});

describe('hints of resources are merged', () => {
  const on = (nodes: number[], preferred = true) => ({ nodes, preferred });
  test.each([
    { policy: 'best-effort', hints: [[on([0]), on([1])], [on([1])]], nodes: [1], admitted: true },
    { policy: 'best-effort', hints: [[on([0])], [on([1])]], nodes: undefined, admitted: true },
    { policy: 'restricted', hints: [[on([0, 1])], undefined], nodes: undefined, admitted: true },
    { policy: 'restricted', hints: [[on([0, 1], false)]], nodes: undefined, admitted: false },
    { policy: 'single-numa-node', hints: [[on([0, 1])]], nodes: undefined, admitted: false },
    { policy: 'single-numa-node', hints: [[on([0, 1], false), on([1])], undefined], nodes: [1], admitted: true },
    { policy: 'none', hints: [[]], nodes: undefined, admitted: true },
  ] as const)('$policy: $admitted', ({ policy, hints, nodes, admitted }) => {
    expect(mergeHints(policy, [0, 1], hints)).toEqual({ nodes, admitted });
  });
});

function pinningWith(settings: Partial<KubeletSettings>, files = new Map<string, string>()) {
  let changes = 0;
  const pinning = new PodPinning({
    topology: machine,
    settings: { ...defaultSettings, cpuManagerPolicy: 'static', reservedSystemCPUs: '0', ...settings },
    checkpoints: {
      read: async (name) => files.get(name),
      write: async (name, text) => void files.set(name, text),
    },
    onChange: () => changes++,
  });
  return { pinning, files, changes: () => changes };
}

function guaranteed(uid: string, cpu: string, more: Partial<Container> = {}): Pod {
  const resources = { requests: { cpu, memory: '1Gi' }, limits: { cpu, memory: '1Gi' } };
  const pod = makePod({ containers: [{ name: 'c', resources, ...more }] });
  return { ...pod, metadata: { ...pod.metadata, uid } };
}

const first = (pod: Pod): Container => pod.spec?.containers[0] ?? { name: '' };

describe('the static policy for CPUs', () => {
  test('exclusive CPUs belong to one container, and are released', async () => {
    const { pinning, files, changes } = pinningWith({});
    const [own, part] = [guaranteed('a', '2'), guaranteed('b', '1500m')];
    await pinning.prepare(own);
    await pinning.prepare(part);
    expect([pinning.of(own, first(own)), pinning.of(part, first(part))]).toEqual([
      { cpusetCpus: '1,5' },
      { cpusetCpus: '0,2-4,6-7' },
    ]);
    expect(JSON.parse(files.get('cpu_manager_state') ?? '')).toMatchObject({
      policyName: 'static',
      defaultCpuSet: '0,2-4,6-7',
      entries: { a: { c: '1,5' } },
    });
    await pinning.release((uid) => uid !== 'a');
    expect([pinning.of(part, first(part)).cpusetCpus, changes()]).toEqual(['0-7', 2]);
  });

  test('a kubelet that restarts restores the allocations', async () => {
    const before = pinningWith({});
    await before.pinning.prepare(guaranteed('a', '2'));
    const { pinning } = pinningWith({}, before.files);
    await pinning.start();
    expect(pinning.cpus?.of('a', 'c')).toEqual([1, 5]);
    await pinning.prepare(guaranteed('a', '2'));
    expect(pinning.cpus?.shared().size).toBe(6);
  });

  test('CPUs of init containers are reused by later containers', async () => {
    const pod = guaranteed('a', '4');
    const init = { ...first(pod), name: 'init' };
    const { pinning } = pinningWith({});
    await pinning.prepare({ ...pod, spec: { containers: [first(pod)], initContainers: [init] } });
    expect(pinning.cpus?.of('a', 'c')).toEqual(pinning.cpus?.of('a', 'init'));
  });

  test.each([
    { settings: { reservedSystemCPUs: '' }, says: 'requires systemreserved.cpu + kubereserved.cpu' },
    { settings: { reservedSystemCPUs: '9' }, says: 'the machine has no CPU 9' },
    { settings: { cpuManagerPolicyOptions: { spread: 'true' } }, says: 'unsupported cpumanager option: "spread"' },
  ])('invalid settings: $says', ({ settings, says }) => {
    expect(() => pinningWith(settings)).toThrow(says);
  });

  test('pods whose requests cannot be met', async () => {
    const { pinning } = pinningWith({ cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } });
    await expect(pinning.prepare(guaranteed('a', '1'))).rejects.toMatchObject({
      reason: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2',
    });
    await expect(pinning.prepare(guaranteed('b', '8'))).rejects.toThrow('requested=8, available=7');
  });
});

describe('one NUMA node', () => {
  test('CPUs and memory are allocated on the same node', async () => {
    const reservedMemory = [{ numaNode: 0, limits: { memory: '3500Mi' } }];
    const settings = {
      memoryManagerPolicy: 'Static',
      reservedMemory,
      topologyManagerPolicy: 'single-numa-node',
    } as const;
    const { pinning, files } = pinningWith(settings);
    const pod = guaranteed('a', '2');
    await pinning.prepare(pod);
    expect(pinning.of(pod, first(pod))).toEqual({ cpusetCpus: '2,6', cpusetMems: '1' });
    expect(JSON.parse(files.get('memory_manager_state') ?? '')).toMatchObject({
      entries: { a: { c: [{ numaAffinity: [1], type: 'memory', size: gibi }] } },
    });
  });

  test('a pod that does not fit on one is refused', async () => {
    const { pinning } = pinningWith({ topologyManagerPolicy: 'single-numa-node' });
    await expect(pinning.prepare(guaranteed('a', '5'))).rejects.toMatchObject({
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
    });
  });
});
