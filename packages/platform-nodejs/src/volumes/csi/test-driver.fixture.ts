import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { bindMount, unmount } from '../mount-command.js';
import { isMountPoint } from '../mount-table.js';
import { csiCodec } from './csi-driver.js';
import { csiCapability, usageUnit } from './csi-layout.js';

type Request = Readonly<Record<string, unknown>>;
type Answer = (request: Request) => Promise<object>;

/** A CSI driver for tests: its volumes are folders, which it bind-mounts. */
export class TestDriver implements AsyncDisposable {
  readonly name = 'folders.test.example.com';
  /** `NodeStageVolume vol-1`, in order. */
  readonly calls: string[] = [];
  readonly requests: Request[] = [];
  /** What the kubelet said to its registration. */
  registration: Request | undefined;
  versions = ['1.0.0'];
  readonly #folder: string;
  readonly #server = new Server();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Serves at a socket in the kubelet's folder of plugins. */
  static async start(folder: string, registry: string, versions = ['1.0.0']): Promise<TestDriver> {
    const driver = new TestDriver(folder);
    driver.versions = versions;
    await mkdir(folder, { recursive: true });
    await mkdir(registry, { recursive: true });
    await driver.#listen(join(registry, `${driver.name}-reg.sock`));
    return driver;
  }

  folderOf(volume: string): string {
    return join(this.#folder, volume);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
  }

  async #listen(socket: string): Promise<void> {
    const registration = {
      GetInfo: [
        'InfoRequest',
        'PluginInfo',
        async () => ({ type: 'CSIPlugin', name: this.name, endpoint: socket, supportedVersions: this.versions }),
      ],
      NotifyRegistrationStatus: [
        'RegistrationStatus',
        'Empty',
        async (status: Request) => {
          this.registration = status;
          return {};
        },
      ],
    } as const;
    const node = {
      NodeGetInfo: [
        'Empty',
        'NodeGetInfoResponse',
        async () => ({ nodeId: 'node-id', maxVolumesPerNode: 8, accessibleTopology: { segments: { zone: 'a' } } }),
      ],
      NodeGetCapabilities: ['Empty', 'NodeGetCapabilitiesResponse', async () => this.#capabilities()],
      NodeStageVolume: [
        'NodeStageVolumeRequest',
        'Empty',
        (request: Request) => this.#note('NodeStageVolume', request),
      ],
      NodeUnstageVolume: [
        'NodeUnstageVolumeRequest',
        'Empty',
        (request: Request) => this.#note('NodeUnstageVolume', request),
      ],
      NodePublishVolume: ['NodePublishVolumeRequest', 'Empty', (request: Request) => this.#publish(request)],
      NodeUnpublishVolume: ['NodeUnpublishVolumeRequest', 'Empty', (request: Request) => this.#unpublish(request)],
      NodeGetVolumeStats: [
        'NodeGetVolumeStatsRequest',
        'NodeGetVolumeStatsResponse',
        async () => ({ usage: [{ unit: usageUnit.bytes, total: 100, used: 30, available: 70 }] }),
      ],
      NodeExpandVolume: [
        'NodeExpandVolumeRequest',
        'NodeExpandVolumeResponse',
        (request: Request) => this.#note('NodeExpandVolume', request),
      ],
    } as const;
    this.#add('pluginregistration.Registration', registration);
    this.#add('csi.v1.Node', node);
    await new Promise<void>((resolve, reject) =>
      this.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  }

  #add(service: string, methods: Readonly<Record<string, readonly [string, string, Answer]>>): void {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const [name, [request, response, answer]] of Object.entries(methods)) {
      definition[name] = {
        path: `/${service}/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: (value: object) => Buffer.from(csiCodec.encode(request, value)),
        requestDeserialize: (bytes: Buffer) => csiCodec.decode(request, bytes),
        responseSerialize: (value: object) => Buffer.from(csiCodec.encode(response, value)),
        responseDeserialize: (bytes: Buffer) => csiCodec.decode(response, bytes),
      };
      handlers[name] = (call: { request: Request }, done: (error: Error | null, value?: object) => void) =>
        void answer(call.request).then(
          (value) => done(null, value),
          (error: Error) => done(error),
        );
    }
    this.#server.addService(definition, handlers);
  }

  #capabilities(): object {
    const types = [csiCapability.stageUnstage, csiCapability.volumeStats, csiCapability.expand];
    return { capabilities: types.map((type) => ({ rpc: { type } })) };
  }

  async #note(call: string, request: Request): Promise<object> {
    this.calls.push(`${call} ${request['volumeId']}`);
    this.requests.push(request);
    return {};
  }

  async #publish(request: Request): Promise<object> {
    const target = String(request['targetPath']);
    const folder = this.folderOf(String(request['volumeId']));
    await mkdir(folder, { recursive: true });
    await mkdir(target, { recursive: true });
    if (!(await isMountPoint(target))) await bindMount(folder, target);
    return this.#note('NodePublishVolume', request);
  }

  async #unpublish(request: Request): Promise<object> {
    const target = String(request['targetPath']);
    if (await isMountPoint(target)) await unmount(target);
    await rm(target, { recursive: true, force: true });
    return this.#note('NodeUnpublishVolume', request);
  }
}
