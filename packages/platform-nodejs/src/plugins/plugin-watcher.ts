import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import { createCodec } from '@coracle/cri';
import { GrpcConnection } from '../cri/grpc-connection.js';
import { registrationLayout } from './registration-layout.js';

/** A plugin that has reported its name and type. */
export interface RegisteredPlugin {
  /** `CSIPlugin`, `DevicePlugin`, `DRAPlugin`. */
  readonly type: string;
  readonly name: string;
  /** Endpoint of the plugin's own service. */
  readonly endpoint: string;
  readonly versions: readonly string[];
}

export interface PluginWatcherOptions {
  /** `/var/lib/kubelet/plugins_registry`: the directory of plugin sockets. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By the type of plugin. */
  readonly handlers: Readonly<Record<string, PluginHandler>>;
}

/** A handler of plugins of one type. */
export interface PluginHandler {
  /** Registers a plugin; a rejection is reported to the plugin. */
  add(plugin: RegisteredPlugin): Promise<void>;
  remove(plugin: RegisteredPlugin): void;
}

const codec = createCodec(registrationLayout);

interface PluginInfo {
  readonly type?: string;
  readonly name?: string;
  readonly endpoint?: string;
  readonly supportedVersions?: readonly string[];
}

const rescanMs: Millis = 10_000;
const callTimeoutMs: Millis = 10_000;

/** Finds the sockets of plugins, calls `GetInfo` of each, and reports to it whether it was registered. */
export class PluginWatcher implements Disposable {
  readonly #options: PluginWatcherOptions;
  /** By socket; a socket that was created again is another plugin. */
  readonly #present = new Map<string, { readonly madeAt: number; readonly plugin: RegisteredPlugin }>();
  #timer: Disposable | undefined;
  #watcher: FSWatcher | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: PluginWatcherOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { folder, clock } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o750 });
    this.#watcher = watch(folder, { persistent: false }, () => void this.scan());
    this.#timer = every(clock, rescanMs, () => void this.scan());
    await this.scan();
  }

  /** Reads the directory once more, after the current pass. */
  scan(): Promise<void> {
    this.#scanning = this.#scanning.then(() => (this.#stopped ? undefined : this.#look()));
    return this.#scanning;
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
    this.#watcher?.close();
  }

  async #look(): Promise<void> {
    const { folder, logger, handlers } = this.#options;
    const sockets = new Map<string, number>();
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found?.isSocket()) sockets.set(path, found.birthtimeMs || found.ctimeMs);
    }
    for (const [path, { madeAt, plugin }] of this.#present) {
      if (sockets.get(path) === madeAt) continue;
      this.#present.delete(path);
      handlers[plugin.type]?.remove(plugin);
    }
    for (const [path, madeAt] of sockets) {
      if (this.#present.has(path)) continue;
      await this.#register(path, madeAt).catch((error: unknown) =>
        logger.error('A plugin could not be registered', { socket: path, error }),
      );
    }
  }

  async #register(path: string, madeAt: number): Promise<void> {
    using connection = new GrpcConnection({ endpoint: `unix://${path}`, codec: codec });
    const info = await connection.call<PluginInfo>(getInfo, {}, callTimeoutMs);
    const { type = '', name = '', endpoint = '', supportedVersions: versions = [] } = info;
    const plugin = { type, name, endpoint: endpoint === '' ? path : endpoint, versions };
    const handler = this.#options.handlers[type];
    const adding = handler?.add(plugin) ?? Promise.reject(new Error(`no handler registered for plugin type: ${type}`));
    const problem = await adding.then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (problem === undefined) this.#present.set(path, { madeAt, plugin });
    const status = problem === undefined ? { pluginRegistered: true } : { pluginRegistered: false, error: problem };
    await connection.call(notify, status, callTimeoutMs);
    if (problem !== undefined) throw new Error(problem);
  }
}

const service = '/pluginregistration.Registration';
const getInfo = { path: `${service}/GetInfo`, request: 'InfoRequest', response: 'PluginInfo' };
const notify = { path: `${service}/NotifyRegistrationStatus`, request: 'RegistrationStatus', response: 'Empty' };
