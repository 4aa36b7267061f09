import { MountPropagation } from '@coracle/cri';
import type { DeviceGrant, DevicePlugin, PluginDevice, PreferenceRequest } from '@coracle/kubelet';
import { GrpcConnection } from '../cri/grpc-connection.js';
import { devicePluginCodec } from './device-plugin-layout.js';

export interface DevicePluginOptions {
  readonly preStartRequired?: boolean;
  readonly getPreferredAllocationAvailable?: boolean;
}

interface WireDevice {
  readonly ID?: string;
  readonly health?: string;
  readonly topology?: { readonly nodes?: readonly { readonly ID?: number }[] };
}

interface WireGrant {
  readonly envs?: Readonly<Record<string, string>>;
  readonly mounts?: readonly { containerPath?: string; hostPath?: string; readOnly?: boolean }[];
  readonly devices?: readonly { containerPath?: string; hostPath?: string; permissions?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cdiDevices?: readonly { readonly name?: string }[];
}

const callTimeoutMs = 30_000;

/** A client of a device plugin. */
export class DevicePluginClient implements DevicePlugin, Disposable {
  readonly resource: string;
  readonly #connection: GrpcConnection;
  readonly #aborter = new AbortController();
  #options: DevicePluginOptions;

  constructor(resource: string, endpoint: string, options: DevicePluginOptions = {}) {
    this.resource = resource;
    this.#connection = new GrpcConnection({ endpoint: `unix://${endpoint}`, codec: devicePluginCodec });
    this.#options = options;
  }

  get preStartRequired(): boolean {
    return this.#options.preStartRequired ?? false;
  }

  get hasPreference(): boolean {
    return this.#options.getPreferredAllocationAvailable ?? false;
  }

  /** For plugins that did not send their options with the registration. */
  async readOptions(): Promise<void> {
    this.#options = await this.#call<DevicePluginOptions>('GetDevicePluginOptions', 'Empty', 'DevicePluginOptions', {});
  }

  /** Reports all devices after each change. Ends when the plugin has disconnected. */
  async follow(onDevices: (devices: readonly PluginDevice[]) => void): Promise<void> {
    const method = { path: '/v1beta1.DevicePlugin/ListAndWatch', request: 'Empty', response: 'ListAndWatchResponse' };
    const answers = this.#connection.stream<{ devices?: WireDevice[] }>(method, {}, this.#aborter.signal);
    for await (const { devices = [] } of answers) onDevices(devices.map(deviceOf));
  }

  async preferred({ available, mustInclude, count }: PreferenceRequest): Promise<readonly string[]> {
    const request = { availableDeviceIDs: available, mustIncludeDeviceIDs: mustInclude, allocationSize: count };
    const { containerResponses = [] } = await this.#call<{ containerResponses?: { deviceIDs?: string[] }[] }>(
      'GetPreferredAllocation',
      'PreferredAllocationRequest',
      'PreferredAllocationResponse',
      { containerRequests: [request] },
    );
    return containerResponses[0]?.deviceIDs ?? [];
  }

  async allocate(ids: readonly string[]): Promise<DeviceGrant> {
    const { containerResponses = [] } = await this.#call<{ containerResponses?: WireGrant[] }>(
      'Allocate',
      'AllocateRequest',
      'AllocateResponse',
      { containerRequests: [{ devicesIds: ids }] },
    );
    return grantOf(containerResponses[0] ?? {});
  }

  async preStart(ids: readonly string[]): Promise<void> {
    await this.#call('PreStartContainer', 'PreStartContainerRequest', 'Empty', { devicesIds: ids });
  }

  [Symbol.dispose](): void {
    this.#aborter.abort();
    this.#connection[Symbol.dispose]();
  }

  #call<Answer>(rpc: string, request: string, response: string, value: object): Promise<Answer> {
    return this.#connection.call({ path: `/v1beta1.DevicePlugin/${rpc}`, request, response }, value, callTimeoutMs);
  }
}

function deviceOf({ ID: id = '', health, topology }: WireDevice): PluginDevice {
  return { id, healthy: health === 'Healthy', numaNodes: topology?.nodes?.map(({ ID = 0 }) => ID) ?? [] };
}

function grantOf({ envs = {}, mounts = [], devices = [], annotations = {}, cdiDevices = [] }: WireGrant): DeviceGrant {
  return {
    envs,
    annotations,
    mounts: mounts.map(({ containerPath = '', hostPath = '', readOnly = false }) => ({
      containerPath,
      hostPath,
      readonly: readOnly,
      propagation: MountPropagation.PROPAGATION_PRIVATE,
    })),
    devices: devices.map((device) => ({ ...device })),
    cdiDevices: cdiDevices.map(({ name = '' }) => name),
  };
}
