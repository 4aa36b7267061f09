import type { KubeObject } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin, AttributesOf, MutationRounds } from './admission.js';
import type { AdmissionMeter, MeasuredStep, StepMeter } from './admission-meter.js';

interface Act<T> {
  readonly plugin: AdmissionPlugin;
  readonly run: T;
}

type Mutate = NonNullable<AdmissionPlugin['mutate']>;
type Validate = NonNullable<AdmissionPlugin['validate']>;

/** All plugins, in order. Every one mutates before the first one validates. */
export class AdmissionChain {
  readonly #mutations: readonly Act<Mutate>[];
  readonly #validations: readonly Act<Validate>[];
  readonly #meters: { readonly admit: StepMeter; readonly validate: StepMeter } | undefined;

  constructor(plugins: readonly AdmissionPlugin[], meter?: AdmissionMeter) {
    this.#mutations = plugins.flatMap((plugin) => (plugin.mutate ? [{ plugin, run: plugin.mutate.bind(plugin) }] : []));
    this.#validations = plugins.flatMap((plugin) =>
      plugin.validate ? [{ plugin, run: plugin.validate.bind(plugin) }] : [],
    );
    this.#meters = meter && { admit: meter.step('admit', plugins), validate: meter.step('validate', plugins) };
  }

  /** What the plugins make of the object. */
  async mutate<T extends KubeObject | undefined>(attributes: AttributesOf<T>): Promise<T> {
    const rounds = new Rounds();
    const first = await this.#mutateOnce(attributes, rounds);
    const last = rounds.begin() ? await this.#mutateOnce({ ...attributes, object: first }, rounds) : first;
    return last as T;
  }

  async #mutateOnce(start: AdmissionAttributes, rounds: Rounds): Promise<KubeObject | undefined> {
    let attributes = start;
    const measured = this.#meters?.admit.begin(attributes.operation);
    for (const { plugin, run } of this.#mutations) {
      if (!plugin.handles(attributes)) continue;
      try {
        const pending = run(attributes, rounds);
        const changed = pending instanceof Promise ? await pending : pending;
        if (changed && changed !== attributes.object) attributes = { ...attributes, object: changed };
      } catch (error) {
        measured?.refused(plugin.name);
        throw error;
      }
      measured?.passed(plugin.name);
    }
    measured?.end();
    return attributes.object;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const measured: MeasuredStep | undefined = this.#meters?.validate.begin(attributes.operation);
    for (const { plugin, run } of this.#validations) {
      if (!plugin.handles(attributes)) continue;
      try {
        const pending = run(attributes);
        if (pending instanceof Promise) await pending;
      } catch (error) {
        measured?.refused(plugin.name);
        throw error;
      }
      measured?.passed(plugin.name);
    }
    measured?.end();
  }
}

class Rounds implements MutationRounds {
  #state: Map<string, unknown> | undefined;
  #wanted = false;
  isRepeated = false;

  get state(): Map<string, unknown> {
    this.#state ??= new Map();
    return this.#state;
  }

  repeat(): void {
    this.#wanted = true;
  }

  /** Whether there is a second round; there is never a third. */
  begin(): boolean {
    this.isRepeated = true;
    return this.#wanted;
  }
}
