import type { AdmissionAttributes, AdmissionOperation, AdmissionVersion } from '../admission.js';
import { type Constraints, matchVersion, type VersionMatch } from './match-version.js';

/** Something that is about some requests, and how it matches those that are looked at. */
export interface Candidate<T> {
  readonly item: T;
  readonly match: VersionMatch;
}

const none: readonly never[] = [];

/**
 * Finds those webhooks or policies that may be about a request by its resource and operation. Rules are looked at once
 * for each kind of request, so that a write which none of them is about costs two lookups, however many there are.
 */
export class Candidates<T> {
  readonly #items: readonly T[];
  readonly #constraintsOf: (item: T) => Constraints;
  /** Versions are the same values for all requests to a resource, and other ones when it changes. */
  readonly #known = new WeakMap<AdmissionVersion, Map<AdmissionOperation, readonly Candidate<T>[]>>();

  constructor(items: readonly T[], constraintsOf: (item: T) => Constraints) {
    this.#items = items;
    this.#constraintsOf = constraintsOf;
  }

  for(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (this.#items.length === 0) return none;
    const { requested, operation } = attributes;
    let byOperation = this.#known.get(requested);
    if (!byOperation) {
      byOperation = new Map();
      this.#known.set(requested, byOperation);
    }
    let found = byOperation.get(operation);
    if (!found) {
      found = this.#find(attributes);
      byOperation.set(operation, found);
    }
    return found;
  }

  #find(attributes: AdmissionAttributes): readonly Candidate<T>[] {
    if (isExempt(attributes)) return none;
    return this.#items.flatMap((item) => {
      const match = matchVersion(this.#constraintsOf(item), attributes);
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

/** Nobody may lock himself out by a rule about rules. */
function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exempt.has(resource.resource);
}
