import type { AdmissionAttributes, AdmissionPlugin } from './admission.js';
import type { AdmissionMeter, StepMeter } from './admission-meter.js';

interface Act {
  readonly plugin: AdmissionPlugin;
  readonly run: (attributes: AdmissionAttributes) => void | Promise<void>;
}

/** All plugins, in order. Every one mutates before the first one validates. */
export class AdmissionChain {
  readonly #mutations: readonly Act[];
  readonly #validations: readonly Act[];
  readonly #meters: { readonly admit: StepMeter; readonly validate: StepMeter } | undefined;

  constructor(plugins: readonly AdmissionPlugin[], meter?: AdmissionMeter) {
    const acts = (run: (plugin: AdmissionPlugin) => Act['run'] | undefined) =>
      plugins.flatMap((plugin) => {
        const own = run(plugin);
        return own ? [{ plugin, run: own }] : [];
      });
    this.#mutations = acts((plugin) => plugin.mutate?.bind(plugin));
    this.#validations = acts((plugin) => plugin.validate?.bind(plugin));
    this.#meters = meter && { admit: meter.step('admit', plugins), validate: meter.step('validate', plugins) };
  }

  mutate(attributes: AdmissionAttributes): Promise<void> {
    return run(this.#mutations, attributes, this.#meters?.admit);
  }

  validate(attributes: AdmissionAttributes): Promise<void> {
    return run(this.#validations, attributes, this.#meters?.validate);
  }
}

async function run(acts: readonly Act[], attributes: AdmissionAttributes, meter: StepMeter | undefined): Promise<void> {
  const measured = meter?.begin(attributes.operation);
  for (const { plugin, run: act } of acts) {
    if (!plugin.handles(attributes)) continue;
    try {
      const pending = act(attributes);
      if (pending) await pending;
    } catch (error) {
      measured?.refused(plugin.name);
      throw error;
    }
    measured?.passed(plugin.name);
  }
  measured?.end();
}
