import { type Node, schemaOf } from '@coracle/api';
import { alreadyExists, applyStrategicMergePatch, notFound } from '@coracle/apimachinery';
import { Activity, silentLogger, VirtualClock } from '@coracle/base';
import type { Image } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { nodeSystemInfo } from './builders.fixture.js';
import { type FakeAnswer, fakeApi, sentBody } from './fake-api.fixture.js';
import { nodeConditions } from './node-conditions.js';
import { NodeReporter, type NodeReporterOptions } from './node-status.js';
import type { RuntimeHealth } from './runtime-health.js';
import { defaultSettings, type KubeletSettings } from './settings.js';

/** An API server with one node. If there are `answers`, the next requests get these instead. */
function reporter(answers: FakeAnswer[] = [], settings: Partial<KubeletSettings> = {}) {
  const clock = new VirtualClock();
  let node: Node | undefined;
  const { client, requests } = fakeApi((request) => {
    const answer = answers.shift();
    if (answer) return answer(request);
    if (request.method === 'POST') node = sentBody(request) as Node;
    else if (node && request.method === 'PATCH') {
      node = applyStrategicMergePatch(node, sentBody(request), schemaOf('core-v1/Node'));
    }
    return node;
  });
  const images: Image[] = [];
  const runtime = { listImages: async () => ({ images: [...images] }) };
  const events: string[] = [];
  const inUse: string[] = [];
  const health = {
    refresh: (): Promise<void> => Promise.resolve(),
    problems: [] as string[],
    features: undefined as RuntimeHealth['features'],
  };
  const options: NodeReporterOptions = {
    nodeName: 'n',
    description: { addresses: [], capacity: { cpu: '1' }, info: nodeSystemInfo },
    client,
    images: { listImages: () => runtime.listImages() },
    pressures: () => new Set(),
    settings: { ...defaultSettings, ...settings },
    volumesInUse: () => inUse,
    clock,
    logger: silentLogger,
    activity: new Activity(),
    recorder: { event: (_about, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
  };
  const subject = new NodeReporter(options, health);
  const change = (status: Node['status']) => {
    node = { metadata: {}, ...node, status: { ...node?.status, ...status } };
  };
  return {
    clock,
    subject,
    health,
    change,
    events,
    answers,
    images,
    runtime,
    inUse,
    node: () => node,
    takeRequests: () => requests.splice(0),
  };
}

const lost: FakeAnswer = () => {
  throw new Error('connection lost');
};
const cached = 'GET /api/v1/nodes/n?resourceVersion=0';
const direct = 'GET /api/v1/nodes/n';

/** The events of every registration. */
const sufficient = ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'].map(
  (reason) => `Normal ${reason} Node n status is now: ${reason}`,
);

describe('NodeReporter', () => {
  test('a registration reports sufficient resources, for a new node and for an existing one', async () => {
    const { clock, subject, events, takeRequests } = reporter();
    await subject.start();
    expect(events.splice(0)).toEqual(sufficient);
    await clock.advance(600_000);
    expect(events).toEqual([]);

    const again = reporter();
    again.change({ conditions: nodeConditions({ problems: [], pressures: new Set() }, [], clock.now()) });
    again.answers.push(() => {
      throw alreadyExists({ group: '', resource: 'nodes' }, 'n');
    });
    await again.subject.start();
    expect([again.events, takeRequests()[0]]).toEqual([sufficient, 'POST /api/v1/nodes']);
  });

  test('a node that does not register itself reports once others have', async () => {
    const missing: FakeAnswer = () => {
      throw notFound({ group: '', resource: 'nodes' }, 'n');
    };
    const { clock, subject, change, node, takeRequests } = reporter([missing, missing], { registerNode: false });
    await subject.start();
    expect([subject.node, takeRequests()]).toEqual([undefined, [direct]]);
    change({});
    await clock.advance(600);
    expect(takeRequests()).toEqual([direct, direct, 'PATCH /api/v1/nodes/n/status']);
    expect(node()?.status?.capacity).toEqual({ cpu: '1' });
    expect(subject.node?.status?.capacity).toEqual({ cpu: '1' });
  });

  test.each([
    ['hangs', () => new Promise<never>(() => {})],
    ['is gone', () => Promise.reject<never>(new Error('connection refused'))],
  ])('a node whose runtime %s is reported as not ready, with the images known before', async (_, answer) => {
    const { clock, subject, health, images, runtime, node } = reporter();
    images.push({ id: 'i', repoTags: ['nginx:1'], size: 5 });
    await subject.start();
    health.problems = ['container runtime is down'];
    health.refresh = () => answer().catch(() => undefined);
    runtime.listImages = answer;
    await clock.advance(15_000);
    const status = node()?.status;
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False' });
    expect(status?.images).toEqual([{ names: ['nginx:1'], sizeBytes: 5 }]);
  });

  test('a node that becomes ready after its start reports that at once, for two minutes', async () => {
    const { clock, subject, health, events, node } = reporter();
    const ready = () => node()?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    health.problems = ['container runtime network not ready'];
    await subject.start();
    await clock.advance(1_000);
    expect(ready()).toBe('False');
    health.problems = [];
    await clock.advance(100);
    expect([ready(), events]).toEqual(['True', [...sufficient, 'Normal NodeReady Node n status is now: NodeReady']]);
    const pending = clock.pending;
    await clock.advance(100);
    expect(clock.pending).toBe(pending);

    const late = reporter();
    late.health.problems = ['container runtime network not ready'];
    await late.subject.start();
    await late.clock.advance(121_000);
    late.health.problems = [];
    await late.clock.advance(8_000);
    expect(late.events).toEqual(sufficient);
    await late.clock.advance(2_000);
    expect(late.events).toEqual([...sufficient, 'Normal NodeReady Node n status is now: NodeReady']);
  });

  test('K33.2 tries a report five times without delay, and bypasses the watch cache after the first', async () => {
    const { clock, subject, answers, takeRequests } = reporter();
    await subject.start();
    takeRequests();
    answers.push(lost, lost, lost, lost);
    await clock.advance(10_000);
    expect(takeRequests()).toEqual([cached, direct, direct, direct, direct]);
    answers.push(lost, lost, lost, lost, lost);
    await clock.advance(10_000);
    expect(takeRequests()).toEqual([cached, direct, direct, direct, direct]);
  });

  test('K33.1 retries registration in its own interval while there is no server', async () => {
    const { clock, subject, takeRequests } = reporter([lost, lost]);
    await subject.start();
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    await clock.advance(200);
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    await clock.advance(400);
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    expect(subject.node?.metadata.name).toBe('n');
  });

  test('declares the features that pods may need', async () => {
    const { clock, subject, change, node } = reporter();
    await subject.start();
    expect(node()?.status?.declaredFeatures).toEqual(['RestartAllContainersOnContainerExits']);
    change({ declaredFeatures: [] });
    await clock.advance(10_000);
    expect(node()?.status?.declaredFeatures).toEqual(['RestartAllContainersOnContainerExits']);
  });

  test('images of one size that the runtime lists in another order are no change of the node', async () => {
    const { clock, subject, images, node, takeRequests } = reporter();
    const image = (id: string, size: number) => ({ id, size, repoTags: [`registry/${id}:1`] });
    images.push(image('a', 5), image('b', 7), image('c', 7));
    await subject.start();
    await clock.advance(10_000);
    expect(node()?.status?.images?.map(({ names }) => names?.[0])).toEqual([
      'registry/c:1',
      'registry/b:1',
      'registry/a:1',
    ]);
    takeRequests();
    images.reverse();
    await clock.advance(10_000);
    expect(takeRequests()).toEqual([cached]);
  });

  test('reports whether the runtime supports supplementalGroupsPolicy, once the runtime does', async () => {
    const { clock, subject, health, node } = reporter();
    await subject.start();
    expect(node()?.status?.features).toBeUndefined();
    health.features = { supplementalGroupsPolicy: true };
    await clock.advance(10_000);
    expect(node()?.status?.features).toEqual({ supplementalGroupsPolicy: true });
    health.features = {};
    await clock.advance(10_000);
    expect(node()?.status?.features).toEqual({ supplementalGroupsPolicy: false });
  });

  test('declares no features to a server that drops them', async () => {
    let registered: Node = { metadata: {} };
    const withoutFeatures: FakeAnswer = (request) => {
      const { declaredFeatures: _, ...status } = (sentBody(request) as Node).status ?? {};
      registered = { ...(sentBody(request) as Node), status };
      return registered;
    };
    const { clock, subject, change, takeRequests } = reporter([withoutFeatures]);
    await subject.start();
    change(registered.status);
    takeRequests();
    await clock.advance(10_000);
    expect(takeRequests()).toEqual([cached]);
  });

  test('K33.5 lists the volumes in use, and removes unused ones', async () => {
    const { clock, subject, inUse, node } = reporter();
    await subject.start();
    expect(node()?.status?.volumesInUse).toBeUndefined();
    inUse.push('kubernetes.io/csi/disk.example.com^a');
    await clock.advance(10_000);
    expect(node()?.status?.volumesInUse).toEqual(['kubernetes.io/csi/disk.example.com^a']);
    inUse.length = 0;
    await clock.advance(10_000);
    expect(node()?.status?.volumesInUse).toBeUndefined();
  });

  test('offers pods the extended resources that others advertise in its capacity, while they do', async () => {
    const { clock, subject, change, node } = reporter();
    await subject.start();
    change({ capacity: { cpu: '1', 'example.com/licence': '5' } });
    await clock.advance(10_000);
    expect(node()?.status).toMatchObject({
      capacity: { cpu: '1', 'example.com/licence': '5' },
      allocatable: { cpu: '1', 'example.com/licence': '5' },
    });
    change({ capacity: { cpu: '1' } });
    await clock.advance(10_000);
    expect(node()?.status?.allocatable).toEqual({ cpu: '1' });
  });

  test('K33.5 registers a deleted node again', async () => {
    const { clock, subject, answers, takeRequests } = reporter();
    await subject.start();
    takeRequests();
    answers.push(() => {
      throw notFound({ group: '', resource: 'nodes' }, 'n');
    });
    await clock.advance(20_000);
    expect(takeRequests()).toEqual([cached, 'POST /api/v1/nodes']);
  });

  test('K33.5 reports that the node was rebooted, once', async () => {
    const { clock, subject, change, events } = reporter();
    await subject.start();
    change({ nodeInfo: { ...nodeSystemInfo, bootID: 'boot-1' } });
    await clock.advance(20_000);
    expect(events).toEqual([...sufficient, 'Warning Rebooted Node n has been rebooted, boot id: boot-2']);
  });
});

describe('the conditions of a node', () => {
  test.each([
    { name: 'Ready when nothing is wrong', problems: [], message: 'kubelet is posting ready status' },
    { name: 'not Ready for one problem', problems: ['no network'], message: 'no network' },
    {
      name: 'not Ready for several, in brackets',
      problems: ['no runtime', 'no network'],
      message: '[no runtime, no network]',
    },
  ])('K33.5 $name', ({ problems, message }) => {
    const isUp = problems.length === 0;
    expect(nodeConditions({ problems, pressures: new Set() }, [], 0).at(-1)).toMatchObject({
      type: 'Ready',
      status: isUp ? 'True' : 'False',
      reason: isUp ? 'KubeletReady' : 'KubeletNotReady',
      message,
    });
  });

  test.each([
    ['MemoryPressure', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
    ['DiskPressure', 'KubeletHasDiskPressure', 'kubelet has disk pressure'],
    ['PIDPressure', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  ] as const)('K33.5 %s is reported, with its transition time', (type, reason, message) => {
    const pressures = new Set([type]);
    const first = nodeConditions({ problems: [], pressures }, [], 0);
    const later = nodeConditions({ problems: [], pressures }, first, 60_000);
    expect(later.find((condition) => condition.type === type)).toEqual({
      type,
      status: 'True',
      reason,
      message,
      lastHeartbeatTime: '1970-01-01T00:01:00Z',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    });
    expect(later.filter(({ status }) => status === 'True').map((one) => one.type)).toEqual([type, 'Ready']);
  });
});
