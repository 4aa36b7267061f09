import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionVersion } from '../admission.js';
import type { Selectors } from './match-selectors.js';
import { type Constraints, matchVersion, type VersionMatch } from './match-version.js';

/** Something that is about some requests, and how it matches those that are looked at. */
export interface Candidate<T> {
  readonly item: T;
  readonly match: VersionMatch;
}

/** What webhooks and policies have in common. */
export interface Selective {
  readonly constraints: Constraints;
  readonly selectors: Selectors;
}

const none: readonly never[] = [];

/**
 * Finds those webhooks or policies that may be about a request by its resource, operation and namespace. Rules are
 * looked at once for each kind of request, and labels of a namespace once until it changes, so that a write which none
 * of them is about costs a few lookups, however many there are.
 */
export class Candidates<T extends Selective> {
  readonly #items: readonly T[];
  readonly #objects: Pick<ObjectReader, 'get'>;
  /** Versions are the same values for all requests to a resource, and other ones when it changes. */
  readonly #candidatesByVersion = new WeakMap<AdmissionVersion, Map<AdmissionOperation, readonly Candidate<T>[]>>();

  /**
   * For each list in `#candidatesByVersion`, what is left of it in a namespace. A namespace that changes is another
   * value.
   */
  readonly #inNamespaces = new WeakMap<readonly Candidate<T>[], WeakMap<KubeObject, readonly Candidate<T>[]>>();

  constructor(items: readonly T[], objects: Pick<ObjectReader, 'get'>) {
    this.#items = items;
    this.#objects = objects;
  }

  for(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (this.#items.length === 0) return none;
    const { requested, operation } = attributes;
    let byOperation = this.#candidatesByVersion.get(requested);
    if (!byOperation) {
      byOperation = new Map();
      this.#candidatesByVersion.set(requested, byOperation);
    }
    let found = byOperation.get(operation);
    if (!found) {
      found = this.#find(attributes);
      byOperation.set(operation, found);
    }
    return found.length === 0 ? found : this.#inNamespace(found, attributes);
  }

  /**
   * Leaves out those that select other namespaces. One that is not in the cache yet is left to the code that asks them.
   */
  #inNamespace(found: readonly Candidate<T>[], { kind, namespace }: AdmissionAttributes): readonly Candidate<T>[] {
    if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return found;
    const object = this.#objects.get(refs.namespaces, '', namespace);
    if (!object) return found;
    let byNamespace = this.#inNamespaces.get(found);
    if (!byNamespace) {
      byNamespace = new WeakMap();
      this.#inNamespaces.set(found, byNamespace);
    }
    let left = byNamespace.get(object);
    if (!left) {
      left = found.filter(({ item }) => item.selectors.namespaces?.matches(object.metadata.labels) ?? true);
      byNamespace.set(object, left);
    }
    return left;
  }

  #find(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (isExempt(attributes)) return none;
    return this.#items.flatMap((item) => {
      const match = matchVersion(item.constraints, attributes);
      return match ? [{ item, match }] : [];
    });
  }
}

const exempt: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** A rule about rules must not lock administrators out of changing it. */
function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exempt.has(resource.resource);
}
