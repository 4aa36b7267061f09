import type { Logger } from '@coracle/base';
import type { PluginHandler, RegisteredPlugin } from '../../plugins/plugin-watcher.js';
import { CsiDriver, type CsiNodeInfo } from './csi-driver.js';

export interface CsiDriversOptions {
  readonly logger: Logger;
  /** Called with all drivers of the node, each time that one is added or removed. */
  readonly onChange: (drivers: ReadonlyMap<string, CsiNodeInfo>) => Promise<void>;
}

/** The CSI drivers of a node, which register themselves by their sockets. */
export class CsiDrivers implements PluginHandler, Disposable {
  readonly #options: CsiDriversOptions;
  readonly #drivers = new Map<string, { readonly driver: CsiDriver; readonly info: CsiNodeInfo }>();

  constructor(options: CsiDriversOptions) {
    this.#options = options;
  }

  get(name: string): CsiDriver | undefined {
    return this.#drivers.get(name)?.driver;
  }

  [Symbol.dispose](): void {
    for (const { driver } of this.#drivers.values()) driver[Symbol.dispose]();
  }

  async add({ name, endpoint, versions }: RegisteredPlugin): Promise<void> {
    if (!versions.some((version) => /^v?1\./.test(version)))
      throw new Error(`none of the CSI versions reported by this driver are supported: ${versions.join(', ')}`);
    const driver = new CsiDriver(name, endpoint);
    const info = await driver.nodeInfo();
    this.#drivers.get(name)?.driver[Symbol.dispose]();
    this.#drivers.set(name, { driver, info });
    await this.#tell();
  }

  remove({ name }: RegisteredPlugin): void {
    this.#drivers.get(name)?.driver[Symbol.dispose]();
    this.#drivers.delete(name);
    const { logger } = this.#options;
    this.#tell().catch((error: unknown) => logger.error('Failed to publish the CSI drivers of the node', { error }));
  }

  #tell(): Promise<void> {
    return this.#options.onChange(new Map([...this.#drivers].map(([name, { info }]) => [name, info])));
  }
}
