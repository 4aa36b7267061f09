import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionVersion } from '../admission.js';
import type { Selectors } from './match-selectors.js';
import { type Constraints, matchVersion, type VersionMatch } from './match-version.js';

/** A webhook, policy or binding that applies to some requests, and how it matches the candidates. */
export interface Candidate<T> {
  readonly item: T;
  readonly match: VersionMatch;
}

/** The match constraints that webhooks and policies have in common. */
export interface Selective {
  readonly constraints: Constraints;
  readonly selectors: Selectors;
  /** The bindings of a policy: a request must match one of them too. */
  readonly bindings?: readonly {
    readonly constraints: Constraints | undefined;
    readonly selectors: Selectors;
  }[];
}

const none: readonly never[] = [];

/** Candidates for one kind of write by their rules, and of these the candidates in each namespace. */
interface KindIndex<T> {
  readonly found: readonly Candidate<T>[];
  /** Whether the namespace can exclude some of `found`. */
  readonly dependsOnNamespace: boolean;
  /** Filled for namespaces whose labels were read; cleared when one of them changes. */
  readonly byNamespace: Map<string, readonly Candidate<T>[]>;
  /** The generation of the namespaces that `byNamespace` was filled from. */
  namespacesAt: number;
}

/**
 * Finds the webhooks or policies that may apply to a request, by resource, operation and namespace. Rules are evaluated
 * once for each kind of request, and namespace selectors once until namespaces change, so a write that none of them
 * matches costs a few lookups, however many there are.
 */
export class Candidates<T extends Selective> {
  readonly #items: readonly T[];
  readonly #objects: Pick<ObjectReader, 'get' | 'generation'>;
  /** Versions are the same values for all requests to a resource, and other ones when it changes. */
  readonly #kinds = new WeakMap<AdmissionVersion, Map<AdmissionOperation, KindIndex<T>>>();

  constructor(items: readonly T[], objects: Pick<ObjectReader, 'get' | 'generation'>) {
    this.#items = items;
    this.#objects = objects;
  }

  for(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (this.#items.length === 0) return none;
    const index = this.#kinds.get(attributes.requested)?.get(attributes.operation) ?? this.#add(attributes);
    return index.dependsOnNamespace ? this.#inNamespace(index, attributes.namespace) : index.found;
  }

  #add(attributes: AdmissionAttributes): KindIndex<T> {
    const { requested, operation, kind } = attributes;
    const found = this.#find(attributes);
    const isNamespace = kind.group === '' && kind.kind === 'Namespace';
    const dependsOnNamespace = !isNamespace && found.some(({ item }) => selectsNamespaces(item));
    const index = { found, dependsOnNamespace, byNamespace: new Map(), namespacesAt: -1 };
    const byOperation = this.#kinds.get(requested) ?? new Map<AdmissionOperation, KindIndex<T>>();
    this.#kinds.set(requested, byOperation.set(operation, index));
    return index;
  }

  /**
   * Excludes candidates that select other namespaces. If a namespace is not in the cache yet, the code that calls them
   * decides.
   */
  #inNamespace(index: KindIndex<T>, namespace: string): readonly Candidate<T>[] {
    if (namespace === '') return index.found;
    const generation = this.#objects.generation(refs.namespaces);
    if (generation !== index.namespacesAt) {
      index.byNamespace.clear();
      index.namespacesAt = generation;
    }
    return index.byNamespace.get(namespace) ?? this.#addNamespace(index, namespace);
  }

  #addNamespace({ found, byNamespace }: KindIndex<T>, namespace: string): readonly Candidate<T>[] {
    const object = this.#objects.get(refs.namespaces, '', namespace);
    if (!object) return found;
    const left = found.filter(({ item }) => selectsLabels(item, object.metadata.labels));
    byNamespace.set(namespace, left);
    return left;
  }

  #find(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (isExempt(attributes)) return none;
    return this.#items.flatMap((item) => {
      const match = matchVersion(item.constraints, attributes);
      return match && isBoundTo(item, attributes) ? [{ item, match }] : [];
    });
  }
}

function isBoundTo({ bindings }: Selective, attributes: AdmissionAttributes): boolean {
  if (!bindings) return true;
  return bindings.some(({ constraints }) => !constraints || matchVersion(constraints, attributes) !== undefined);
}

function selectsNamespaces({ selectors, bindings = [] }: Selective): boolean {
  return [selectors, ...bindings.map((binding) => binding.selectors)].some(({ namespaces }) => namespaces);
}

function selectsLabels({ selectors, bindings }: Selective, labels: KubeObject['metadata']['labels']): boolean {
  const matches = ({ namespaces }: Selectors) => namespaces?.matches(labels) ?? true;
  return matches(selectors) && (bindings?.some((binding) => matches(binding.selectors)) ?? true);
}

const exempt: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Webhook configurations and policies are exempt, so that they cannot prevent administrators from changing them. */
function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exempt.has(resource.resource);
}
