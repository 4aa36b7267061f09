import { type Node, schemaOf } from '@coracle/api';
import { applyStrategicMergePatch } from '@coracle/apimachinery';
import { Activity, silentLogger, VirtualClock } from '@coracle/base';
import type { ImageService, RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { nodeConditions } from './node-conditions.js';
import { NodeReporter } from './node-status.js';
import { type FakeAnswer, fakeApi, sentBody } from './test/fake-api.js';

const info = {
  architecture: 'amd64',
  bootID: 'boot-2',
  containerRuntimeVersion: 'containerd://2.1.0',
  kernelVersion: '6.12',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.36.4',
  machineID: 'm',
  operatingSystem: 'linux',
  osImage: 'Linux',
  systemUUID: 's',
};
const working = ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true }));

/** An API server with one node. The next requests get the next of `answers` instead. */
function reporter(answers: FakeAnswer[] = []) {
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
  // Only what a report asks the runtime for is there.
  const runtime = { status: async () => ({ status: { conditions: working } }) } as unknown as RuntimeService;
  const images = { listImages: async () => ({ images: [] }) } as unknown as ImageService;
  const events: string[] = [];
  const subject = new NodeReporter({
    nodeName: 'n',
    description: { addresses: [], capacity: { cpu: '1' }, info },
    client,
    runtime,
    images,
    clock,
    logger: silentLogger,
    activity: new Activity(),
    recorder: { event: (_about, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
  });
  const change = (status: Node['status']) => {
    node = { metadata: {}, ...node, status: { ...node?.status, ...status } };
  };
  return { clock, subject, change, events, answers, takeRequests: () => requests.splice(0) };
}

const lost: FakeAnswer = () => {
  throw new Error('connection lost');
};
const cached = 'GET /api/v1/nodes/n?resourceVersion=0';
const direct = 'GET /api/v1/nodes/n';

describe('NodeReporter', () => {
  test('K33.2 tries a report five times at once, and asks the server itself after the first', async () => {
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

  test('K33.1 registers at its own pace while there is no server', async () => {
    const { clock, subject, takeRequests } = reporter([lost, lost]);
    await subject.start();
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    await clock.advance(200);
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    await clock.advance(400);
    expect(takeRequests()).toEqual(['POST /api/v1/nodes']);
    expect(subject.node?.metadata.name).toBe('n');
  });

  test('K33.5 tells that the node was rebooted, once', async () => {
    const { clock, subject, change, events } = reporter();
    await subject.start();
    change({ nodeInfo: { ...info, bootID: 'boot-1' } });
    await clock.advance(20_000);
    expect(events).toEqual(['Warning Rebooted Node n has been rebooted, boot id: boot-2']);
  });
});

describe('the condition Ready', () => {
  const down = (type: string) => ({ type, status: false, reason: 'Down', message: 'not up' });
  const runtimeDown = 'container runtime not ready: RuntimeReady=false reason:Down message:not up';
  const networkDown = 'container runtime network not ready: NetworkReady=false reason:Down message:not up';
  test.each([
    { name: 'holds when runtime and network are up', runtime: working, message: 'kubelet is posting ready status' },
    {
      name: 'says what the one problem is',
      runtime: [{ type: 'RuntimeReady', status: true }, down('NetworkReady')],
      message: networkDown,
    },
    {
      name: 'lists several problems in brackets',
      runtime: [down('RuntimeReady'), down('NetworkReady')],
      message: `[${runtimeDown}, ${networkDown}]`,
    },
  ])('K33.5 $name', ({ runtime, message }) => {
    const ready = nodeConditions(runtime, [], 0).at(-1);
    const isUp = runtime === working;
    expect(ready).toMatchObject({
      type: 'Ready',
      status: isUp ? 'True' : 'False',
      reason: isUp ? 'KubeletReady' : 'KubeletNotReady',
      message,
    });
  });
});
