import { join } from 'node:path';
import type { Clock, Logger } from '@coracle/base';
import { CsiDriver, type CsiNodeInfo } from './csi-driver.js';
import { PluginWatcher, type RegisteredPlugin } from './plugin-watcher.js';

export interface CsiDriversOptions {
  /** Everything that the kubelet keeps. */
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with all drivers of the node, each time that one comes or goes. */
  readonly onChange: (drivers: ReadonlyMap<string, CsiNodeInfo>) => Promise<void>;
}

/** The CSI drivers of a node, which register themselves by their sockets. */
export class CsiDrivers implements Disposable {
  readonly #options: CsiDriversOptions;
  readonly #drivers = new Map<string, { readonly driver: CsiDriver; readonly info: CsiNodeInfo }>();
  readonly #watcher: PluginWatcher;

  constructor(options: CsiDriversOptions) {
    this.#options = options;
    const folder = join(options.root, 'plugins_registry');
    const onRegister = (plugin: RegisteredPlugin) => this.#add(plugin);
    this.#watcher = new PluginWatcher({ ...options, folder, onRegister, onRemove: (plugin) => this.#remove(plugin) });
  }

  /** Takes in those that are there, and from then on those that come. */
  start(): Promise<void> {
    return this.#watcher.start();
  }

  get(name: string): CsiDriver | undefined {
    return this.#drivers.get(name)?.driver;
  }

  [Symbol.dispose](): void {
    this.#watcher[Symbol.dispose]();
    for (const { driver } of this.#drivers.values()) driver[Symbol.dispose]();
  }

  async #add({ type, name, endpoint, versions }: RegisteredPlugin): Promise<void> {
    if (type !== 'CSIPlugin') throw new Error(`no handler registered for plugin type: ${type}`);
    if (!versions.some((version) => /^v?1\./.test(version)))
      throw new Error(`none of the CSI versions reported by this driver are supported: ${versions.join(', ')}`);
    const driver = new CsiDriver(name, endpoint);
    const info = await driver.nodeInfo();
    this.#drivers.get(name)?.driver[Symbol.dispose]();
    this.#drivers.set(name, { driver, info });
    await this.#tell();
  }

  #remove({ name }: RegisteredPlugin): void {
    this.#drivers.get(name)?.driver[Symbol.dispose]();
    this.#drivers.delete(name);
    const { logger } = this.#options;
    this.#tell().catch((error: unknown) => logger.error('The CSI drivers could not be told', { error }));
  }

  #tell(): Promise<void> {
    return this.#options.onChange(new Map([...this.#drivers].map(([name, { info }]) => [name, info])));
  }
}
