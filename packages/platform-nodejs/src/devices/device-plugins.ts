import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, messageOf } from '@coracle/base';
import type { DeviceManager } from '@coracle/kubelet';
import { serveGrpc } from '../cri/grpc-server.js';
import type { PluginHandler, RegisteredPlugin } from '../plugins/plugin-watcher.js';
import { DevicePluginClient, type DevicePluginOptions } from './device-plugin-client.js';
import { devicePluginCodec } from './device-plugin-layout.js';

export interface DevicePluginsOptions {
  /** Root directory of the kubelet. */
  readonly root: string;
  readonly manager: DeviceManager;
  readonly logger: Logger;
}

interface Registration {
  readonly version?: string;
  readonly endpoint?: string;
  readonly resourceName?: string;
  readonly options?: DevicePluginOptions;
}

const supportedVersion = 'v1beta1';

/** Device plugins: they register at the kubelet's socket, or create theirs in the kubelet's directory of plugins. */
export class DevicePlugins implements PluginHandler, AsyncDisposable {
  readonly #options: DevicePluginsOptions;
  readonly #clients = new Map<string, DevicePluginClient>();
  #server: AsyncDisposable | undefined;

  constructor(options: DevicePluginsOptions) {
    this.#options = options;
  }

  get folder(): string {
    return join(this.#options.root, 'device-plugins');
  }

  /** Opens the socket. Plugins watch for it, and register again when it is created again. */
  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o750 });
    await this.#removeOldSockets();
    const register = {
      request: 'RegisterRequest',
      response: 'Empty',
      answer: async (request: object) => {
        await this.#register(request);
        return {};
      },
    };
    const services = { 'v1beta1.Registration': { Register: register } };
    this.#server = await serveGrpc(join(this.folder, 'kubelet.sock'), devicePluginCodec, services);
  }

  async add({ name, endpoint, versions }: RegisteredPlugin): Promise<void> {
    if (!versions.includes(supportedVersion))
      throw new Error(`device plugin version is not supported: ${versions.join(', ')}`);
    await this.#connect(new DevicePluginClient(name, endpoint), true);
  }

  remove({ name }: RegisteredPlugin): void {
    this.#clients.get(name)?.[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    for (const client of this.#clients.values()) client[Symbol.dispose]();
  }

  async #register({ version = '', endpoint = '', resourceName = '', options }: Registration): Promise<void> {
    if (version !== supportedVersion)
      throw new Error(
        `requested API version ${JSON.stringify(version)} is not supported by kubelet. Supported version is ${JSON.stringify(supportedVersion)}`,
      );
    if (!isExtendedResource(resourceName))
      throw new Error(`the ResourceName ${JSON.stringify(resourceName)} is invalid`);
    if (endpoint === '' || endpoint.includes('/')) throw new Error(`invalid endpoint ${JSON.stringify(endpoint)}`);
    await this.#connect(new DevicePluginClient(resourceName, join(this.folder, endpoint), options), !options);
  }

  async #connect(client: DevicePluginClient, mustAsk: boolean): Promise<void> {
    const { manager, logger } = this.#options;
    try {
      if (mustAsk) await client.readOptions();
    } catch (error) {
      client[Symbol.dispose]();
      throw new Error(`failed to dial device plugin: ${messageOf(error)}`);
    }
    this.#clients.get(client.resource)?.[Symbol.dispose]();
    this.#clients.set(client.resource, client);
    manager.register(client);
    void client
      .follow((devices) => manager.update(client, devices))
      .catch((error: unknown) => logger.info('A device plugin is gone', { resource: client.resource, error }))
      .finally(() => {
        if (this.#clients.get(client.resource) === client) this.#clients.delete(client.resource);
        client[Symbol.dispose]();
        manager.lost(client);
      });
  }

  /** Plugins expect their sockets to be deleted when the kubelet starts, and register again. */
  async #removeOldSockets(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      if ((await stat(path).catch(() => undefined))?.isSocket()) await rm(path, { force: true });
    }
  }
}

/** A domain and a name; the domain is not one of Kubernetes. */
function isExtendedResource(name: string): boolean {
  const [domain = '', ...rest] = name.split('/');
  const isPart = (part: string) => /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(part);
  const isNative = domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io') || domain.startsWith('requests.');
  return rest.length === 1 && isPart(domain) && isPart(rest[0] ?? '') && !isNative;
}
