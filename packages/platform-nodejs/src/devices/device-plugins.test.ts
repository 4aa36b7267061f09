import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { DeviceManager } from '@coracle/kubelet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GrpcConnection } from '../cri/grpc-connection.js';
import { systemClock } from '../system-clock.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { checkpointFiles } from './checkpoint-files.js';
import { DevicePlugins } from './device-plugins.js';
import { podResourcesCodec, servePodResources } from './pod-resources-server.js';
import { TestDevicePlugin } from './test-device-plugin.fixture.js';

const resource = 'test.example.com/thing';

function podWith(uid: string, count: number): Pod {
  const limits = { [resource]: String(count) };
  return {
    metadata: { name: `pod-${uid}`, namespace: 'default', uid },
    spec: { containers: [{ name: 'c', resources: { limits } }] },
  };
}

async function startNode(root: string) {
  const manager = new DeviceManager({
    checkpoints: checkpointFiles(root),
    clock: systemClock,
    logger: silentLogger,
    onChange: () => undefined,
  });
  await manager.start();
  const plugins = new DevicePlugins({ root, manager, logger: silentLogger });
  await plugins.start();
  const stop = async () => {
    await plugins[Symbol.asyncDispose]();
    manager[Symbol.dispose]();
  };
  onTestFinished(stop);
  return { manager, plugins, stop };
}

async function startPlugin(root: string, devices: Readonly<Record<string, string>>, options?: object) {
  const plugin = await TestDevicePlugin.start(resource, join(root, 'device-plugins'), devices);
  onTestFinished(() => plugin[Symbol.asyncDispose]());
  await plugin.register('v1beta1', options);
  return plugin;
}

const healthy = { a: 'Healthy', b: 'Healthy', c: 'Healthy' };
const until = { timeout: 20_000 };

test('devices are counted, and those that are not healthy are not for pods', async () => {
  const root = await temporaryFolder();
  const { manager } = await startNode(root);
  const plugin = await startPlugin(root, healthy);
  await vi.waitFor(() => expect(manager.counts().get(resource)).toEqual({ capacity: 3, allocatable: 3 }), until);
  plugin.set({ ...healthy, b: 'Unhealthy' });
  await vi.waitFor(() => expect(manager.counts().get(resource)).toEqual({ capacity: 3, allocatable: 2 }), until);
  await plugin[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(manager.counts().get(resource)).toEqual({ capacity: 3, allocatable: 0 }), until);
  await expect(manager.prepare(podWith('1', 1))).rejects.toThrow('cannot allocate unhealthy devices');
});

test('a pod gets devices, once; the next one others; what there is not is refused', async () => {
  const root = await temporaryFolder();
  const { manager } = await startNode(root);
  const plugin = await startPlugin(root, healthy);
  await vi.waitFor(() => expect(manager.counts().get(resource)?.allocatable).toBe(3), until);
  await manager.prepare(podWith('1', 2));
  await manager.prepare(podWith('1', 2));
  expect(plugin.calls).toEqual(['Allocate a,b']);
  const pod = podWith('1', 2);
  expect(manager.grantOf(pod, { name: 'c' })).toMatchObject({
    envs: { TEST_DEVICES: 'a,b' },
    mounts: [{ containerPath: '/devices-of-test', hostPath: '/etc', readonly: true }],
    devices: [{ containerPath: '/dev/test-a', hostPath: '/dev/zero', permissions: 'rw' }, {}],
    annotations: { 'test.example.com/devices': 'a,b' },
  });
  await expect(manager.prepare(podWith('2', 2))).rejects.toThrow(
    `requested number of devices unavailable for ${resource}. Requested: 2, Available: 1`,
  );
  await manager.release((uid) => uid !== '1');
  await manager.prepare(podWith('2', 2));
  expect(plugin.calls.at(-1)).toBe('Allocate a,b');
});

test('GetPreferredAllocation and PreStartContainer are called if the plugin supports them', async () => {
  const root = await temporaryFolder();
  const { manager } = await startNode(root);
  const options = { preStartRequired: true, getPreferredAllocationAvailable: true };
  const plugin = await startPlugin(root, healthy, options);
  await vi.waitFor(() => expect(manager.counts().get(resource)?.allocatable).toBe(3), until);
  const pod = podWith('1', 1);
  await manager.prepare(pod);
  await manager.preStart(pod, { name: 'c' });
  expect(plugin.calls).toEqual(['Allocate c', 'PreStartContainer c']);
});

test('allocations survive a restart of the kubelet', async () => {
  const root = await temporaryFolder();
  const first = await startNode(root);
  await startPlugin(root, healthy);
  await vi.waitFor(() => expect(first.manager.counts().get(resource)?.allocatable).toBe(3), until);
  await first.manager.prepare(podWith('1', 1));
  await first.stop();
  const { manager } = await startNode(root);
  expect(manager.grantOf(podWith('1', 1), { name: 'c' }).envs).toEqual({ TEST_DEVICES: 'a' });
  const checkpoint = JSON.parse(await readFile(join(root, 'device-plugins/kubelet_internal_checkpoint'), 'utf8'));
  expect(checkpoint.Data.PodDeviceEntries).toMatchObject([{ PodUID: '1', ResourceName: resource }]);
});

test.each([
  { version: 'v1alpha', name: resource, says: 'requested API version "v1alpha" is not supported by kubelet' },
  { version: 'v1beta1', name: 'cpu', says: 'the ResourceName "cpu" is invalid' },
  { version: 'v1beta1', name: 'kubernetes.io/x', says: 'the ResourceName "kubernetes.io/x" is invalid' },
])('a registration is refused: $says', async ({ version, name, says }) => {
  const root = await temporaryFolder();
  await startNode(root);
  const plugin = await TestDevicePlugin.start(name, join(root, 'device-plugins'), {});
  onTestFinished(() => plugin[Symbol.asyncDispose]());
  await expect(plugin.register(version)).rejects.toThrow(says);
});

test('the pod resources API lists the devices of containers', async () => {
  const root = await temporaryFolder();
  const { manager: devices } = await startNode(root);
  await startPlugin(root, healthy);
  await vi.waitFor(() => expect(devices.counts().get(resource)?.allocatable).toBe(3), until);
  const pod = podWith('1', 1);
  await devices.prepare(pod);
  const server = await servePodResources({ root, devices, pods: () => [pod], cpus: () => [0, 1] });
  onTestFinished(() => server[Symbol.asyncDispose]());
  using client = new GrpcConnection({
    endpoint: `unix://${root}/pod-resources/kubelet.sock`,
    codec: podResourcesCodec,
  });
  const ask = (rpc: string, [request, response]: [string, string], value: object = {}) =>
    client.call({ path: `/v1.PodResourcesLister/${rpc}`, request, response }, value, 10_000);
  const topology = { nodes: [{ ID: 1 }] };
  const podResources = {
    name: 'pod-1',
    namespace: 'default',
    containers: [{ name: 'c', devices: [{ resourceName: resource, deviceIds: ['a'], topology }] }],
  };
  expect(await ask('List', ['Empty', 'ListPodResourcesResponse'])).toEqual({ podResources: [podResources] });
  const getting: [string, string] = ['GetPodResourcesRequest', 'GetPodResourcesResponse'];
  expect(await ask('Get', getting, { podName: 'pod-1', podNamespace: 'default' })).toEqual({ podResources });
  await expect(ask('Get', getting, { podName: 'x', podNamespace: 'y' })).rejects.toMatchObject({ code: 'NotFound' });
  const all = await ask('GetAllocatableResources', ['Empty', 'AllocatableResourcesResponse']);
  expect(all).toMatchObject({ cpuIds: [0, 1], devices: [{ deviceIds: ['a'] }, {}, {}] });
});
