import type { Fields } from '../values.js';

/** A resource of which kubectl itself makes objects. */
export interface GeneratedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** An object that was made from the words and flags of a command. */
export interface Generated {
  readonly resource: GeneratedResource;
  readonly object: Fields;
  /** What a refusal begins with; without it the server's own words are printed. */
  readonly failure?: string;
}
