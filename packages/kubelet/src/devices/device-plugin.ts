import type { Device, Mount } from '@coracle/cri';

/** A device that a plugin has on this node. */
export interface PluginDevice {
  readonly id: string;
  readonly healthy: boolean;
  /** Its NUMA nodes; empty if the plugin does not report them. */
  readonly numaNodes: readonly number[];
}

/** Runtime options that come with the devices. */
export interface DeviceGrant {
  readonly envs: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Full names of CDI devices: `vendor.example/class=name`. */
  readonly cdiDevices: readonly string[];
}

export const noDevices: DeviceGrant = Object.freeze({
  envs: {},
  mounts: [],
  devices: [],
  annotations: {},
  cdiDevices: [],
});

export interface PreferenceRequest {
  readonly available: readonly string[];
  readonly mustInclude: readonly string[];
  readonly count: number;
}

/** A registered device plugin, behind its socket. */
export interface DevicePlugin {
  /** `vendor.example/gpu`. */
  readonly resource: string;
  /** Whether it requires `PreStartContainer`. */
  readonly preStartRequired: boolean;
  /** Whether it implements `GetPreferredAllocation`. */
  readonly hasPreference: boolean;
  preferred(request: PreferenceRequest): Promise<readonly string[]>;
  allocate(ids: readonly string[]): Promise<DeviceGrant>;
  preStart(ids: readonly string[]): Promise<void>;
}

/** Merges all responses. */
export function mergeGrants(grants: readonly DeviceGrant[]): DeviceGrant {
  return {
    envs: Object.assign({}, ...grants.map(({ envs }) => envs)),
    mounts: grants.flatMap(({ mounts }) => mounts),
    devices: grants.flatMap(({ devices }) => devices),
    annotations: Object.assign({}, ...grants.map(({ annotations }) => annotations)),
    cdiDevices: [...new Set(grants.flatMap(({ cdiDevices }) => cdiDevices))],
  };
}
