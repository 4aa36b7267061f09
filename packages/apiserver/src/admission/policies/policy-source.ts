import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import { Candidates } from '../matching/candidates.js';
import { type Binding, bindingOf, createPolicyCompiler, type Policy, type PolicyCompiler, policyOf } from './policy.js';

type WithSpec = KubeObject & { readonly spec?: object };
type BindingObject = KubeObject & {
  readonly spec?: Parameters<typeof bindingOf>[1] & { readonly policyName?: string };
};

export interface PolicyKinds {
  readonly policies: ResourceRef<KubeObject>;
  readonly bindings: ResourceRef<KubeObject>;
}

/** The policies that have bindings. A change takes effect from the next request on. */
export class PolicySource<T extends Policy> {
  readonly #objects: ObjectReader;
  readonly #kinds: PolicyKinds;
  readonly #complete: (policy: Policy, spec: object, compiler: PolicyCompiler) => T;
  readonly #compiler = createPolicyCompiler();
  /** Generations of the policies and the bindings that `#current` was computed from. */
  #generations: readonly [policies: number, bindings: number] | undefined;
  #current: Candidates<T>;

  /** `complete` adds the fields of one kind of policy. */
  constructor(
    objects: ObjectReader,
    kinds: PolicyKinds,
    complete: (policy: Policy, spec: object, compiler: PolicyCompiler) => T,
  ) {
    this.#objects = objects;
    this.#kinds = kinds;
    this.#complete = complete;
    this.#current = new Candidates<T>([], objects);
  }

  get current(): Candidates<T> {
    const { policies, bindings } = this.#kinds;
    const ofPolicies = this.#objects.generation(policies);
    const ofBindings = this.#objects.generation(bindings);
    if (ofPolicies !== this.#generations?.[0] || ofBindings !== this.#generations[1]) {
      this.#current = new Candidates(this.#read(), this.#objects);
      this.#generations = [ofPolicies, ofBindings];
    }
    return this.#current;
  }

  #read(): T[] {
    const byPolicy = new Map<string, Binding[]>();
    for (const { metadata, spec } of sorted(this.#objects.list(this.#kinds.bindings) as readonly BindingObject[])) {
      const { policyName = '' } = spec ?? {};
      const others = byPolicy.get(policyName) ?? [];
      byPolicy.set(policyName, [...others, bindingOf(metadata.name ?? '', spec ?? {})]);
    }
    return sorted(this.#objects.list(this.#kinds.policies) as readonly WithSpec[]).flatMap(
      ({ metadata, spec = {} }) => {
        const { name = '' } = metadata;
        const bindings = byPolicy.get(name);
        if (!bindings) return [];
        return [this.#complete(policyOf(name, spec, { bindings, compiler: this.#compiler }), spec, this.#compiler)];
      },
    );
  }
}

function sorted<T extends KubeObject>(objects: readonly T[]): T[] {
  return [...objects].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}
