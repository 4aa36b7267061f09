import type { Layout } from '@coracle/cri';
import { registrationLayout } from '../../plugins/registration-layout.js';

const strings = 'map<string, string>';

/** The messages of CSI's node and identity services, and of plugin registration: field name → [number, type]. */
export const csiLayout: Layout = {
  messages: {
    ...registrationLayout.messages,
    GetPluginInfoResponse: { name: [1, 'string'], vendor_version: [2, 'string'] },
    MountVolume: { fs_type: [1, 'string'], mount_flags: [2, 'repeated string'], volume_mount_group: [3, 'string'] },
    AccessModeMessage: { mode: [1, 'AccessMode'] },
    VolumeCapability: { block: [1, 'Empty'], mount: [2, 'MountVolume'], access_mode: [3, 'AccessModeMessage'] },
    NodeStageVolumeRequest: {
      volume_id: [1, 'string'],
      publish_context: [2, strings],
      staging_target_path: [3, 'string'],
      volume_capability: [4, 'VolumeCapability'],
      secrets: [5, strings],
      volume_context: [6, strings],
    },
    NodeUnstageVolumeRequest: { volume_id: [1, 'string'], staging_target_path: [2, 'string'] },
    NodePublishVolumeRequest: {
      volume_id: [1, 'string'],
      publish_context: [2, strings],
      staging_target_path: [3, 'string'],
      target_path: [4, 'string'],
      volume_capability: [5, 'VolumeCapability'],
      readonly: [6, 'bool'],
      secrets: [7, strings],
      volume_context: [8, strings],
    },
    NodeUnpublishVolumeRequest: { volume_id: [1, 'string'], target_path: [2, 'string'] },
    NodeGetVolumeStatsRequest: {
      volume_id: [1, 'string'],
      volume_path: [2, 'string'],
      staging_target_path: [3, 'string'],
    },
    VolumeUsage: { available: [1, 'int64'], total: [2, 'int64'], used: [3, 'int64'], unit: [4, 'UsageUnit'] },
    NodeGetVolumeStatsResponse: { usage: [1, 'repeated VolumeUsage'] },
    CapacityRange: { required_bytes: [1, 'int64'], limit_bytes: [2, 'int64'] },
    NodeExpandVolumeRequest: {
      volume_id: [1, 'string'],
      volume_path: [2, 'string'],
      capacity_range: [3, 'CapacityRange'],
      staging_target_path: [4, 'string'],
      volume_capability: [5, 'VolumeCapability'],
      secrets: [6, strings],
    },
    NodeExpandVolumeResponse: { capacity_bytes: [1, 'int64'] },
    Rpc: { type: [1, 'RpcType'] },
    NodeServiceCapability: { rpc: [1, 'Rpc'] },
    NodeGetCapabilitiesResponse: { capabilities: [1, 'repeated NodeServiceCapability'] },
    Topology: { segments: [1, strings] },
    NodeGetInfoResponse: {
      node_id: [1, 'string'],
      max_volumes_per_node: [2, 'int64'],
      accessible_topology: [3, 'Topology'],
    },
  },
  enums: { AccessMode: {}, UsageUnit: {}, RpcType: {} },
};

/** What a driver's node service can do. */
export const csiCapability = {
  stageUnstage: 1,
  volumeStats: 2,
  expand: 3,
  singleNodeMultiWriter: 5,
  mountGroup: 6,
} as const;

/** CSI's access modes by those of the API. */
export const csiAccessModes: Readonly<Record<string, number>> = {
  ReadWriteOnce: 1,
  ReadOnlyMany: 3,
  ReadWriteMany: 5,
  ReadWriteOncePod: 1,
};

/** For drivers that distinguish one pod from several on a node. */
export const csiSingleNodeModes: Readonly<Record<string, number>> = { ReadWriteOnce: 7, ReadWriteOncePod: 6 };

export const usageUnit = { bytes: 1, inodes: 2 } as const;
