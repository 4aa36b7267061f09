import type { AdmissionAttributes, AdmissionPlugin } from './admission.js';

/** All plugins, in order. Every one mutates before the first one validates. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#plugins) {
      if (!plugin.mutate || !plugin.handles(attributes)) continue;
      const pending = plugin.mutate(attributes);
      if (pending) await pending;
    }
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#plugins) {
      if (!plugin.validate || !plugin.handles(attributes)) continue;
      const pending = plugin.validate(attributes);
      if (pending) await pending;
    }
  }
}
