import type { CustomResourceDefinition, NameConflict } from '../registry/apiextensions/crd-status.js';

/** Names that a resource of the same group has already. */
export interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The first name of a CRD that another CRD has taken, if any. */
export function nameConflict({ spec }: CustomResourceDefinition, taken: TakenNames): NameConflict | undefined {
  const { plural, singular, shortNames = [], kind, listKind } = spec.names;
  const inUse = (name: string) => `${JSON.stringify(name)} is already in use`;
  if (taken.resources.has(plural)) return { reason: 'PluralConflict', message: inUse(plural) };
  if (singular && taken.resources.has(singular)) return { reason: 'SingularConflict', message: inUse(singular) };
  const short = shortNames.find((name) => taken.resources.has(name));
  if (short !== undefined) return { reason: 'ShortNamesConflict', message: inUse(short) };
  if (taken.kinds.has(kind)) return { reason: 'KindConflict', message: inUse(kind) };
  if (listKind && taken.kinds.has(listKind)) return { reason: 'ListKindConflict', message: inUse(listKind) };
  return undefined;
}
