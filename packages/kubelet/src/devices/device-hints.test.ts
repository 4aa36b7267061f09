import type { Pod } from '@coracle/api';
import { silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings, type KubeletSettings } from '../settings.js';
import type { MachineTopology } from '../topology/machine-topology.js';
import { PodPinning } from '../topology/pod-pinning.js';
import { deviceHints } from './device-hints.js';
import { DeviceManager } from './device-manager.js';
import { type DevicePlugin, noDevices, type PluginDevice } from './device-plugin.js';

const resource = 'example.com/gpu';
/** Two NUMA nodes of four CPUs each: even and odd ones. */
const topology: MachineTopology = {
  cpus: [0, 1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, core: id, socket: id % 2, numaNode: id % 2 })),
  memory: new Map([
    [0, { memory: 2 ** 32 }],
    [1, { memory: 2 ** 32 }],
  ]),
};

/** `a0`: device `a` on NUMA node 0; `c`: a device without topology. */
function devicesOf(...texts: readonly string[]): PluginDevice[] {
  return texts.map((text) => ({ id: text, healthy: true, numaNodes: [...text.slice(1)].map(Number) }));
}

describe('hints of devices', () => {
  const devices = devicesOf('a0', 'b0', 'c1', 'd01');
  const on = (nodes: number[], preferred: boolean) => ({ nodes, preferred });
  test.each([
    {
      name: 'one is near to either node',
      available: devices,
      count: 1,
      hints: [
        [[0], true],
        [[1], true],
        [[0, 1], false],
      ],
    },
    {
      name: 'three are near to the first',
      available: devices,
      count: 3,
      hints: [
        [[0], true],
        [[0, 1], false],
      ],
    },
    { name: 'four take both nodes', available: devices, count: 4, hints: [[[0, 1], true]] },
    {
      name: 'what is taken does not count',
      available: devicesOf('c1'),
      count: 1,
      hints: [
        [[1], true],
        [[0, 1], false],
      ],
    },
    { name: 'more than there are', available: devicesOf('c1'), count: 2, hints: [] },
  ] as const)('$name', ({ available, count, hints }) => {
    const input = { devices, available, reusable: new Set<string>(), count, allNodes: [0, 1] };
    expect(deviceHints(input)).toEqual(hints.map(([nodes, preferred]) => on([...nodes], preferred)));
  });

  test('devices without a topology are allocated on any NUMA node', () => {
    const anywhere = devicesOf('a', 'b');
    const input = { devices: anywhere, available: anywhere, reusable: new Set<string>(), count: 1, allNodes: [0, 1] };
    expect(deviceHints(input)).toBeUndefined();
  });

  test('devices of an init container are part of every choice', () => {
    const input = { devices, available: devices, reusable: new Set(['c1']), count: 1, allNodes: [0, 1] };
    expect(deviceHints(input)).toEqual([on([1], true), on([0, 1], false)]);
  });
});

function nodeWith(devices: readonly PluginDevice[], settings: Partial<KubeletSettings>, plugin: object = {}) {
  const files = new Map<string, string>();
  const checkpoints = {
    read: async (name: string) => files.get(name),
    write: async (name: string, text: string) => void files.set(name, text),
  };
  const onChange = () => undefined;
  const manager = new DeviceManager({ checkpoints, clock: new VirtualClock(), logger: silentLogger, onChange });
  const registered: DevicePlugin = {
    resource,
    preStartRequired: false,
    hasPreference: false,
    preferred: async () => [],
    allocate: async () => noDevices,
    preStart: async () => undefined,
    ...plugin,
  };
  manager.register(registered);
  manager.update(registered, devices);
  const pinning = new PodPinning({
    topology,
    settings: { ...defaultSettings, ...settings },
    checkpoints,
    devices: manager,
    onChange,
  });
  return { manager, pinning, idsOf: (uid: string) => manager.allocationsOf(uid, 'c')[0]?.ids };
}

function podWith(uid: string, gpus: number, cpu = '1'): Pod {
  const amounts = { cpu, memory: '1Gi', [resource]: String(gpus) };
  const pod = makePod({ containers: [{ name: 'c', resources: { requests: amounts, limits: amounts } }] });
  return { ...pod, metadata: { ...pod.metadata, uid } };
}

const oneNode = { topologyManagerPolicy: 'single-numa-node' } as const;

describe('devices follow the merged hint', () => {
  test('CPUs are allocated on the NUMA node of the device', async () => {
    const settings = { ...oneNode, cpuManagerPolicy: 'static', reservedSystemCPUs: '0' } as const;
    const { pinning, idsOf } = nodeWith(devicesOf('a1'), settings);
    await pinning.prepare(podWith('1', 1, '2'));
    expect(idsOf('1')).toEqual(['a1']);
    expect(pinning.cpus?.of('1', 'c')).toEqual([1, 3]);
  });

  test('the device is allocated on the NUMA node of the CPUs', async () => {
    const settings = { ...oneNode, cpuManagerPolicy: 'static', reservedSystemCPUs: '0,2' } as const;
    const { pinning, idsOf } = nodeWith(devicesOf('a0', 'b1'), settings);
    await pinning.prepare(podWith('1', 1, '4'));
    expect(idsOf('1')).toEqual(['b1']);
  });

  test('a pod whose devices are not on one NUMA node is rejected, without allocations', async () => {
    const { pinning, manager } = nodeWith(devicesOf('a0', 'b1'), oneNode);
    await expect(pinning.prepare(podWith('1', 2))).rejects.toMatchObject({ reason: 'TopologyAffinityError' });
    expect(manager.allocationsOf('1')).toEqual([]);
  });

  test('with best effort it runs with any devices', async () => {
    const { pinning, idsOf } = nodeWith(devicesOf('a0', 'b1'), { topologyManagerPolicy: 'best-effort' });
    await pinning.prepare(podWith('1', 2));
    expect(idsOf('1')).toEqual(['a0', 'b1']);
  });

  test('concurrent pods see the allocations of each other', async () => {
    const { pinning, idsOf } = nodeWith(devicesOf('a0', 'b1'), oneNode);
    await Promise.all([pinning.prepare(podWith('1', 1)), pinning.prepare(podWith('2', 1))]);
    expect([idsOf('1'), idsOf('2')]).toEqual([['a0'], ['b1']]);
  });

  test('a plugin with a preference chooses among the devices of the NUMA nodes', async () => {
    const requests: (readonly string[])[] = [];
    const preferred = async ({ available, count }: { available: readonly string[]; count: number }) => {
      requests.push(available);
      return available.slice(-count);
    };
    const devices = devicesOf('a0', 'b0', 'c1', 'd1', 'e1');
    const { pinning, idsOf } = nodeWith(devices, oneNode, { hasPreference: true, preferred });
    await pinning.prepare(podWith('1', 3));
    await pinning.prepare(podWith('2', 1));
    expect([idsOf('1'), idsOf('2')]).toEqual([['c1', 'd1', 'e1'], ['b0']]);
    expect(requests).toEqual([
      ['c1', 'd1', 'e1'],
      ['a0', 'b0'],
    ]);
  });
});
