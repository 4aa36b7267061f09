import type { KubeObject } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionVersion,
  AttributesOf,
  MutationRounds,
} from './admission.js';
import type { AdmissionMeter, MeasuredStep, StepMeter } from './admission-meter.js';

/** The function of a plugin in one of the two steps. Only mutating plugins return another object. */
interface Act {
  readonly plugin: AdmissionPlugin;
  readonly run: (
    attributes: AdmissionAttributes,
    rounds: MutationRounds,
  ) => MaybePromise<KubeObject | undefined | void>;
}

/** One write while it passes through the plugins of a step. */
interface Walk {
  readonly acts: readonly Act[];
  readonly rounds: Rounds;
  readonly measured: MeasuredStep | undefined;
}

/**
 * All plugins, in order. Every one mutates before the first one validates. A write waits only for plugins
 * that are asynchronous.
 */
export class AdmissionChain {
  readonly #mutations: Plans;
  readonly #validations: Plans;
  readonly #meters: { readonly admit: StepMeter; readonly validate: StepMeter } | undefined;

  constructor(plugins: readonly AdmissionPlugin[], meter?: AdmissionMeter) {
    this.#mutations = new Plans(
      plugins.flatMap((plugin) => (plugin.mutate ? [{ plugin, run: plugin.mutate.bind(plugin) }] : [])),
    );
    this.#validations = new Plans(
      plugins.flatMap((plugin) => (plugin.validate ? [{ plugin, run: plugin.validate.bind(plugin) }] : [])),
    );
    this.#meters = meter && { admit: meter.step('admit', plugins), validate: meter.step('validate', plugins) };
  }

  /** The object after all plugins. Throws, or rejects, if one of them denies the request. */
  mutate<T extends KubeObject | undefined>(attributes: AttributesOf<T>): MaybePromise<T> {
    const rounds = new Rounds();
    const last = andThen(this.#mutateOnce(attributes, rounds), (first) =>
      rounds.begin() ? this.#mutateOnce({ ...attributes, object: first }, rounds) : first,
    );
    return last as MaybePromise<T>;
  }

  #mutateOnce(attributes: AdmissionAttributes, rounds: Rounds): MaybePromise<KubeObject | undefined> {
    const measured = this.#meters?.admit.begin(attributes.operation);
    return walk({ acts: this.#mutations.for(attributes), rounds, measured }, attributes);
  }

  validate(attributes: AdmissionAttributes): MaybePromise<void> {
    const measured = this.#meters?.validate.begin(attributes.operation);
    const walked = walk({ acts: this.#validations.for(attributes), rounds: new Rounds(), measured }, attributes);
    return walked instanceof Promise ? walked.then(() => undefined) : undefined;
  }
}

/** The plugins of a step, by kind of write. */
class Plans {
  readonly #acts: readonly Act[];
  /** Versions are the same values for all requests to a resource or subresource, and other ones when it changes. */
  readonly #actsByVersion = new WeakMap<AdmissionVersion, Map<AdmissionOperation, readonly Act[]>>();

  constructor(acts: readonly Act[]) {
    this.#acts = acts;
  }

  for(attributes: AdmissionAttributes): readonly Act[] {
    const { requested, operation } = attributes;
    let byOperation = this.#actsByVersion.get(requested);
    if (!byOperation) {
      byOperation = new Map();
      this.#actsByVersion.set(requested, byOperation);
    }
    let acts = byOperation.get(operation);
    if (!acts) {
      acts = this.#acts.filter(({ plugin }) => plugin.handles(attributes));
      byOperation.set(operation, acts);
    }
    return acts;
  }
}

/** Calls the plugins from the one at `from` on. */
function walk(step: Walk, start: AdmissionAttributes, from = 0): MaybePromise<KubeObject | undefined> {
  const { acts, rounds, measured } = step;
  let attributes = start;
  for (let i = from; i < acts.length; i++) {
    const { plugin, run } = acts[i] as Act;
    if (plugin.concerns && !plugin.concerns(attributes)) continue;
    try {
      const pending = run(attributes, rounds);
      if (pending instanceof Promise) return goOnLater(step, { attributes, at: i, pending });
      attributes = withObject(attributes, pending);
    } catch (error) {
      measured?.refused(plugin.name);
      throw error;
    }
    measured?.passed(plugin.name);
  }
  measured?.end();
  return attributes.object;
}

async function goOnLater(
  step: Walk,
  {
    attributes,
    at,
    pending,
  }: { attributes: AdmissionAttributes; at: number; pending: Promise<KubeObject | undefined | void> },
): Promise<KubeObject | undefined> {
  const { plugin } = step.acts[at] as Act;
  let changed: KubeObject | undefined | void;
  try {
    changed = await pending;
  } catch (error) {
    step.measured?.refused(plugin.name);
    throw error;
  }
  step.measured?.passed(plugin.name);
  return walk(step, withObject(attributes, changed), at + 1);
}

function withObject(attributes: AdmissionAttributes, changed: KubeObject | undefined | void): AdmissionAttributes {
  return changed && changed !== attributes.object ? { ...attributes, object: changed } : attributes;
}

class Rounds implements MutationRounds {
  #state: Map<string, unknown> | undefined;
  #isRequested = false;
  isRepeated = false;

  get state(): Map<string, unknown> {
    this.#state ??= new Map();
    return this.#state;
  }

  repeat(): void {
    this.#isRequested = true;
  }

  /** Whether there is a second round of mutation. There is never a third. */
  begin(): boolean {
    this.isRepeated = true;
    return this.#isRequested;
  }
}
