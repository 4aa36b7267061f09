import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo } from '../builders.fixture.js';
import type { NodeInfo } from './node-info.js';

describe('host ports', () => {
  const port = (hostIP: string | undefined, protocol: string, hostPort = 80) =>
    makePodInfo(`${hostIP}-${protocol}-${hostPort}`, {
      spec: {
        containers: [
          { name: 'c', ports: [{ containerPort: 1, hostPort, protocol, ...(hostIP !== undefined && { hostIP }) }] },
        ],
      },
    });
  const cases = [
    {
      name: 'the same port conflicts',
      taken: port('10.0.0.1', 'TCP'),
      pod: port('10.0.0.1', 'TCP'),
      conflict: true,
    },
    {
      name: 'another address does not',
      taken: port('10.0.0.1', 'TCP'),
      pod: port('10.0.0.2', 'TCP'),
      conflict: false,
    },
    {
      name: 'another protocol does not',
      taken: port('10.0.0.1', 'TCP'),
      pod: port('10.0.0.1', 'UDP'),
      conflict: false,
    },
    { name: 'another port does not', taken: port('', 'TCP', 80), pod: port('', 'TCP', 81), conflict: false },
    {
      name: 'all addresses conflict with one',
      taken: port('0.0.0.0', 'TCP'),
      pod: port('10.0.0.2', 'TCP'),
      conflict: true,
    },
    {
      name: 'one conflicts with all addresses',
      taken: port('10.0.0.1', 'TCP'),
      pod: port(undefined, 'TCP'),
      conflict: true,
    },
  ];

  test.each(cases)('$name', ({ taken, pod, conflict }) => {
    expect(makeNodeInfo('a', { pods: [taken] }).portsConflict(pod.hostPorts)).toBe(conflict);
  });

  test('of sidecars count, of other init containers do not', () => {
    const withInit = (restartPolicy?: string) =>
      makePodInfo('p', {
        spec: {
          initContainers: [
            { name: 'i', ports: [{ containerPort: 1, hostPort: 80 }], ...(restartPolicy && { restartPolicy }) },
          ],
        },
      }).hostPorts.length;

    expect([withInit('Always'), withInit()]).toEqual([1, 0]);
  });
});

test('pods without requests get default requests for scoring (SCH-98)', () => {
  const { presumed, requests } = makePodInfo('p', { requests: { cpu: '50m' } });

  expect({ presumed, cpu: requests.milliCpu, memory: requests.memory }).toEqual({
    presumed: { milliCpu: 50, memory: 200 * 1024 * 1024 },
    cpu: 50,
    memory: 0,
  });
});

test('a node is the sum of its pods, in any order of changes', () => {
  const pods = Array.from({ length: 6 }, (_, i) =>
    makePodInfo(`p${i}`, {
      requests: { cpu: `${i * 100 + 50}m`, memory: `${i}Mi`, 'example.com/gpu': `${i}` },
      hostPort: 8000 + (i % 3),
    }),
  );
  const steps = fc.array(fc.record({ add: fc.boolean(), pod: fc.nat(5) }));
  fc.assert(
    fc.property(steps, (changes) => {
      const node = makeNodeInfo('a');
      const here = new Set<number>();
      for (const { add, pod } of changes) {
        if (add) node.addPod(pods[pod] as never);
        else node.removePod(`p${pod}`);
        if (add) here.add(pod);
        else here.delete(pod);
      }
      const fresh = makeNodeInfo('a', { pods: [...here].map((i) => pods[i] as never) });

      expect([
        node.requested.milliCpu,
        node.requested.memory,
        node.requested.scalar.get('example.com/gpu') ?? 0,
      ]).toEqual([
        fresh.requested.milliCpu,
        fresh.requested.memory,
        fresh.requested.scalar.get('example.com/gpu') ?? 0,
      ]);
      expect(node.presumed).toEqual(fresh.presumed);
      for (const pod of pods) expect(node.portsConflict(pod.hostPorts)).toBe(fresh.portsConflict(pod.hostPorts));
    }),
  );
});

test('volumes are counted as pods are added and removed', () => {
  const pod = makePodInfo('p', { spec: { volumes: [{ name: 'a' }, { name: 'b' }] } });
  const node = makeNodeInfo('n', { pods: [pod, makePodInfo('q')] });
  expect(node.volumeCount).toBe(2);
  node.removePod('p');
  expect(node.volumeCount).toBe(0);
});

test('a clone is equal, and changes of it do not affect the original', () => {
  const taints = [{ key: 'a', effect: 'NoSchedule' }];
  const requests = { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi', 'example.com/gpu': '2' };
  const pod = makePodInfo('p', { requests, hostPort: 80, spec: { volumes: [{ name: 'v' }] } });
  const node = makeNodeInfo('n', { taints, unschedulable: true, labels: { zone: 'z' }, pods: [pod] });
  const stateOf = ({
    node: own,
    labels,
    allocatable,
    allowedPods,
    isCordoned,
    taints: nodeTaints,
    ...rest
  }: NodeInfo) => ({
    ...{ own, labels, allocatable, allowedPods, isCordoned, nodeTaints },
    ...{ requested: rest.requested, presumed: rest.presumed, volumeCount: rest.volumeCount },
    pods: [...rest.pods.keys()],
  });
  const before = structuredClone(stateOf(node));
  const clone = node.clone();
  expect(stateOf(clone)).toEqual(before);
  expect(clone.portsConflict(pod.hostPorts)).toBe(true);

  clone.removePod('p');
  clone.addPod(makePodInfo('q', { requests, hostPort: 81 }));
  expect(stateOf(node)).toEqual(before);
  expect(node.portsConflict(pod.hostPorts)).toBe(true);
  expect(clone.portsConflict(pod.hostPorts)).toBe(false);
});
