import { basename, dirname, join } from 'node:path';
import { GrpcConnection } from '../cri/grpc-connection.js';
import { serveGrpc } from '../cri/grpc-server.js';
import { devicePluginCodec } from './device-plugin-layout.js';

type Message = Readonly<Record<string, unknown>>;

/** A device plugin of tests: a device is an environment variable, a device file, a mount and a CDI device. */
export class TestDevicePlugin implements AsyncDisposable {
  readonly resource: string;
  /** `Allocate a,b`, in order. */
  readonly calls: string[] = [];
  readonly #socket: string;
  readonly #sends = new Set<(answer: object) => void>();
  #devices: readonly object[] = [];
  #server: AsyncDisposable | undefined;

  private constructor(resource: string, socket: string) {
    this.resource = resource;
    this.#socket = socket;
  }

  /** Serves at a socket in `folder`, which is the kubelet's. */
  static async start(
    resource: string,
    folder: string,
    devices: Readonly<Record<string, string>>,
  ): Promise<TestDevicePlugin> {
    const plugin = new TestDevicePlugin(resource, join(folder, `${resource.replace('/', '-')}.sock`));
    plugin.set(devices);
    await plugin.#serve();
    return plugin;
  }

  /** All devices, by id, with their health. */
  set(devices: Readonly<Record<string, string>>): void {
    this.#devices = Object.entries(devices).map(([ID, health]) => ({ ID, health, topology: { nodes: [{ ID: 1 }] } }));
    for (const send of this.#sends) send({ devices: this.#devices });
  }

  /** Registers with the kubelet. Throws the kubelet's error. */
  async register(version = 'v1beta1', options: object = {}): Promise<void> {
    using kubelet = new GrpcConnection({
      endpoint: `unix://${join(dirname(this.#socket), 'kubelet.sock')}`,
      codec: devicePluginCodec,
    });
    const request = { version, endpoint: basename(this.#socket), resourceName: this.resource, options };
    const method = { path: '/v1beta1.Registration/Register', request: 'RegisterRequest', response: 'Empty' };
    await kubelet.call(method, request, 10_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #serve(): Promise<void> {
    const idsOf = ({ containerRequests }: Message) =>
      ((containerRequests as { devicesIds?: string[] }[])[0]?.devicesIds ?? []) as string[];
    const list = (send: (answer: object) => void, signal: AbortSignal) => {
      this.#sends.add(send);
      signal.addEventListener('abort', () => this.#sends.delete(send));
      send({ devices: this.#devices });
    };
    const preferred = ({ containerRequests }: Message) => {
      const [request] = containerRequests as { availableDeviceIDs: string[]; allocationSize: number }[];
      const { availableDeviceIDs = [], allocationSize = 0 } = request ?? {};
      const deviceIDs = [...availableDeviceIDs].sort().reverse().slice(0, allocationSize);
      return { containerResponses: [{ deviceIDs }] };
    };
    const note = (call: string, ids: readonly string[]) => this.calls.push(`${call} ${ids.join(',')}`);
    this.#server = await serveGrpc(this.#socket, devicePluginCodec, {
      'v1beta1.DevicePlugin': {
        GetDevicePluginOptions: { request: 'Empty', response: 'DevicePluginOptions', answer: () => ({}) },
        ListAndWatch: { request: 'Empty', response: 'ListAndWatchResponse', stream: list },
        GetPreferredAllocation: {
          request: 'PreferredAllocationRequest',
          response: 'PreferredAllocationResponse',
          answer: preferred,
        },
        Allocate: {
          request: 'AllocateRequest',
          response: 'AllocateResponse',
          answer: (request) => {
            note('Allocate', idsOf(request));
            return { containerResponses: [grantOf(idsOf(request))] };
          },
        },
        PreStartContainer: {
          request: 'PreStartContainerRequest',
          response: 'Empty',
          answer: ({ devicesIds }) => {
            note('PreStartContainer', devicesIds as string[]);
            return {};
          },
        },
      },
    });
  }
}

function grantOf(ids: readonly string[]): object {
  return {
    envs: { TEST_DEVICES: ids.join(',') },
    mounts: [{ containerPath: '/devices-of-test', hostPath: '/etc', readOnly: true }],
    devices: ids.map((id) => ({ containerPath: `/dev/test-${id}`, hostPath: '/dev/zero', permissions: 'rw' })),
    annotations: { 'test.example.com/devices': ids.join(',') },
    cdiDevices: [],
  };
}
