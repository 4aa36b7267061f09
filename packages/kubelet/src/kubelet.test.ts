import { Activity, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import type { ImageService, RuntimeService } from '@coracle/cri';
import { expect, onTestFinished, test } from 'vitest';
import { fakeReferences, nodeSystemInfo } from './builders.fixture.js';
import { fakeApi, sentBody } from './fake-api.fixture.js';
import { createKubelet } from './kubelet.js';
import type { KubeletOptions } from './kubelet-options.js';
import { fakeVolumeHost } from './volumes/fake-volume-host.fixture.js';

/** A kubelet without pods, and its requests and events in order. */
function kubeletWith(more: Partial<KubeletOptions> = {}) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const { client } = fakeApi((request) => {
    if (request.method === 'POST') done.push(`POST ${request.path}`);
    return sentBody(request);
  });
  const runtime: Partial<RuntimeService> = {
    version: async () => ({
      version: '0.1.0',
      runtimeName: 'containerd',
      runtimeVersion: '2.1.0',
      runtimeApiVersion: 'v1',
    }),
    status: async () => ({
      status: {
        conditions: [
          { type: 'RuntimeReady', status: true },
          { type: 'NetworkReady', status: true },
        ],
      },
    }),
    listPodSandbox: async () => ({ items: [] }),
    listContainers: async () => ({ containers: [] }),
  };
  const images: Partial<ImageService> = { listImages: async () => ({ images: [] }) };
  const kubelet = createKubelet({
    nodeName: 'n',
    client,
    pods: { follow: () => ({ [Symbol.dispose]: () => undefined }), synced: async () => undefined },
    runtime: runtime as RuntimeService,
    images: images as ImageService,
    prober: { probe: async () => ({ outcome: 'success', output: '' }), callHook: async () => undefined },
    streams: { connect: () => Promise.reject(new Error('there are no streams')) },
    node: { addresses: [], capacity: { cpu: '1' }, info: nodeSystemInfo },
    references: fakeReferences(),
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    tracer: noTracer,
    activity: new Activity(),
    recorder: { event: (_about, type, reason, message) => void done.push(`${type} ${reason} ${message}`) },
    ...more,
  });
  onTestFinished(() => kubelet[Symbol.asyncDispose]());
  return { kubelet, done };
}

test('the event of its start precedes the registration of its node', async () => {
  const { kubelet, done } = kubeletWith();
  await kubelet.start();
  expect(done).toEqual([
    'Normal Starting Starting kubelet.',
    'Normal NodeHasSufficientMemory Node n status is now: NodeHasSufficientMemory',
    'Normal NodeHasNoDiskPressure Node n status is now: NodeHasNoDiskPressure',
    'Normal NodeHasSufficientPID Node n status is now: NodeHasSufficientPID',
    'POST /api/v1/nodes',
    'POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  ]);
});

test('a kubelet that cannot make its directories does not start, and an event says why', async () => {
  const makeDirectories = () => Promise.reject(new Error('error creating pods directory: the disk is full'));
  const { kubelet, done } = kubeletWith({ volumeHost: { ...fakeVolumeHost(), makeDirectories } });
  await expect(kubelet.start()).rejects.toThrow('error creating pods directory: the disk is full');
  expect(done).toEqual([
    'Normal Starting Starting kubelet.',
    'Warning KubeletSetupFailed error creating pods directory: the disk is full',
  ]);
});

test.each([
  { settings: {}, status: 200 },
  { settings: { enableDebuggingHandlers: false }, status: 405 },
])(
  'the server of a kubelet with $settings answers what serves debugging with $status',
  async ({ settings, status }) => {
    const { kubelet } = kubeletWith({ settings });
    const request = { method: 'GET', path: '/runningpods/', query: '', headers: {} };
    expect((await kubelet.server.exchange(request)).status).toBe(status);
  },
);
