import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isTerminalPod, type Pod } from '@coracle/api';
import { createCodec, type Layout } from '@coracle/cri';
import { allocatableDevices, type PodResourcesSource, podResourcesOf } from '@coracle/kubelet';
import { status } from '@grpc/grpc-js';
import { serveGrpc } from '../cri/grpc-server.js';

/** The messages of the pod resources API v1: field name → [number, type]. */
const podResourcesLayout: Layout = {
  messages: {
    Empty: {},
    NUMANode: { ID: [1, 'int64'] },
    TopologyInfo: { nodes: [1, 'repeated NUMANode'] },
    ContainerDevices: {
      resource_name: [1, 'string'],
      device_ids: [2, 'repeated string'],
      topology: [3, 'TopologyInfo'],
    },
    ContainerMemory: { memory_type: [1, 'string'], size: [2, 'uint64'], topology: [3, 'TopologyInfo'] },
    CDIDevice: { name: [1, 'string'] },
    ClaimResource: {
      cdi_devices: [1, 'repeated CDIDevice'],
      driver_name: [2, 'string'],
      pool_name: [3, 'string'],
      device_name: [4, 'string'],
    },
    DynamicResource: {
      claim_name: [2, 'string'],
      claim_namespace: [3, 'string'],
      claim_resources: [4, 'repeated ClaimResource'],
    },
    ContainerResources: {
      name: [1, 'string'],
      devices: [2, 'repeated ContainerDevices'],
      cpu_ids: [3, 'repeated int64'],
      memory: [4, 'repeated ContainerMemory'],
      dynamic_resources: [5, 'repeated DynamicResource'],
    },
    PodResources: { name: [1, 'string'], namespace: [2, 'string'], containers: [3, 'repeated ContainerResources'] },
    ListPodResourcesResponse: { pod_resources: [1, 'repeated PodResources'] },
    AllocatableResourcesResponse: {
      devices: [1, 'repeated ContainerDevices'],
      cpu_ids: [2, 'repeated int64'],
      memory: [3, 'repeated ContainerMemory'],
    },
    GetPodResourcesRequest: { pod_name: [1, 'string'], pod_namespace: [2, 'string'] },
    GetPodResourcesResponse: { pod_resources: [1, 'PodResources'] },
  },
  enums: {},
};

export const podResourcesCodec = createCodec(podResourcesLayout);

export interface PodResourcesOptions extends PodResourcesSource {
  /** Root directory of the kubelet. */
  readonly root: string;
  readonly pods: () => readonly Pod[];
  /** All allocatable CPUs. */
  readonly cpus: () => readonly number[];
}

/** Serves the pod resources API at `pod-resources/kubelet.sock`. */
export async function servePodResources(options: PodResourcesOptions): Promise<AsyncDisposable> {
  const { root, pods } = options;
  const folder = join(root, 'pod-resources');
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const active = () => pods().filter((pod) => !isTerminalPod(pod));
  const list = {
    request: 'Empty',
    response: 'ListPodResourcesResponse',
    answer: () => ({ podResources: active().map((pod) => podResourcesOf(pod, options)) }),
  };
  const allocatable = {
    request: 'Empty',
    response: 'AllocatableResourcesResponse',
    answer: () => ({ devices: allocatableDevices(options), cpuIds: options.cpus() }),
  };
  const get = {
    request: 'GetPodResourcesRequest',
    response: 'GetPodResourcesResponse',
    answer: ({ podName = '', podNamespace = '' }: { podName?: string; podNamespace?: string }) => {
      const pod = active().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
      if (!pod) throw Object.assign(new Error(`pod ${podNamespace}/${podName} not found`), { code: status.NOT_FOUND });
      return { podResources: podResourcesOf(pod, options) };
    },
  };
  const services = { 'v1.PodResourcesLister': { List: list, GetAllocatableResources: allocatable, Get: get } };
  return serveGrpc(join(folder, 'kubelet.sock'), podResourcesCodec, services);
}
