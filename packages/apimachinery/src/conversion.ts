import { deepCopy } from '@coracle/base';
import { badRequest } from './status-error.js';

/** How one version of a kind relates to the hub. The functions may change and return what they are given. */
export interface Spoke {
  readonly apiVersion: string;
  toHub(object: Record<string, unknown>): Record<string, unknown>;
  fromHub(object: Record<string, unknown>): Record<string, unknown>;
}

/** A kind in the version that all its other versions are converted through. */
export interface ConvertibleKind {
  readonly kind: string;
  readonly hub: string;
  readonly spokes: readonly Spoke[];
}

/**
 * Converts objects between the versions of their kind through the hub version, so that a kind with many versions needs
 * two functions for each and not two for each pair.
 */
export class ConversionRegistry {
  readonly #kinds = new Map<string, ConvertibleKind>();

  constructor(kinds: Iterable<ConvertibleKind>) {
    for (const kind of kinds)
      for (const apiVersion of [kind.hub, ...kind.spokes.map((spoke) => spoke.apiVersion)])
        this.#kinds.set(keyOf(kind.kind, apiVersion), kind);
  }

  /** Whether objects of this kind can go from one version to the other. */
  canConvert(kind: string, from: string, to: string): boolean {
    if (from === to) return true;
    const entry = this.#kinds.get(keyOf(kind, from));
    return entry !== undefined && entry === this.#kinds.get(keyOf(kind, to));
  }

  /** The object in `apiVersion`; the object itself when it is in that version. What it is given stays as it is. */
  convert<T extends { apiVersion?: string; kind?: string }>(object: T, apiVersion: string): T {
    const { apiVersion: from = '', kind = '' } = object;
    if (from === apiVersion) return object;
    if (!this.canConvert(kind, from, apiVersion))
      throw badRequest(`converting (${from}, Kind=${kind}) to (${apiVersion}): unknown conversion`);
    const convertible = this.#kinds.get(keyOf(kind, from)) as ConvertibleKind;
    const hub = spokeOf(convertible, from)?.toHub(deepCopy(object)) ?? deepCopy(object);
    const converted = spokeOf(convertible, apiVersion)?.fromHub(hub as Record<string, unknown>) ?? hub;
    return { ...converted, apiVersion } as T;
  }
}

function spokeOf(kind: ConvertibleKind, apiVersion: string): Spoke | undefined {
  return kind.spokes.find((spoke) => spoke.apiVersion === apiVersion);
}

function keyOf(kind: string, apiVersion: string): string {
  return `${apiVersion}/${kind}`;
}
