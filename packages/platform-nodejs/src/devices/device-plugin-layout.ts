import { createCodec, type Layout } from '@coracle/cri';

const strings = 'map<string, string>';

/** The messages of the device plugin API v1beta1: field name → [number, type]. */
const devicePluginLayout: Layout = {
  messages: {
    Empty: {},
    DevicePluginOptions: { pre_start_required: [1, 'bool'], get_preferred_allocation_available: [2, 'bool'] },
    RegisterRequest: {
      version: [1, 'string'],
      endpoint: [2, 'string'],
      resource_name: [3, 'string'],
      options: [4, 'DevicePluginOptions'],
    },
    NUMANode: { ID: [1, 'int64'] },
    TopologyInfo: { nodes: [1, 'repeated NUMANode'] },
    Device: { ID: [1, 'string'], health: [2, 'string'], topology: [3, 'TopologyInfo'] },
    ListAndWatchResponse: { devices: [1, 'repeated Device'] },
    PreStartContainerRequest: { devices_ids: [1, 'repeated string'] },
    ContainerPreferredAllocationRequest: {
      available_deviceIDs: [1, 'repeated string'],
      must_include_deviceIDs: [2, 'repeated string'],
      allocation_size: [3, 'int32'],
    },
    PreferredAllocationRequest: { container_requests: [1, 'repeated ContainerPreferredAllocationRequest'] },
    ContainerPreferredAllocationResponse: { deviceIDs: [1, 'repeated string'] },
    PreferredAllocationResponse: { container_responses: [1, 'repeated ContainerPreferredAllocationResponse'] },
    ContainerAllocateRequest: { devices_ids: [1, 'repeated string'] },
    AllocateRequest: { container_requests: [1, 'repeated ContainerAllocateRequest'] },
    Mount: { container_path: [1, 'string'], host_path: [2, 'string'], read_only: [3, 'bool'] },
    DeviceSpec: { container_path: [1, 'string'], host_path: [2, 'string'], permissions: [3, 'string'] },
    CDIDevice: { name: [1, 'string'] },
    ContainerAllocateResponse: {
      envs: [1, strings],
      mounts: [2, 'repeated Mount'],
      devices: [3, 'repeated DeviceSpec'],
      annotations: [4, strings],
      cdi_devices: [5, 'repeated CDIDevice'],
    },
    AllocateResponse: { container_responses: [1, 'repeated ContainerAllocateResponse'] },
  },
  enums: {},
};

export const devicePluginCodec = createCodec(devicePluginLayout);
