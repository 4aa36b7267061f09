import type { Fields } from '../values.js';

/** A resource of which kubectl itself makes objects. */
export interface GeneratedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** An object that was generated from the arguments and flags of a command. */
export interface Generated {
  readonly resource: GeneratedResource;
  readonly object: Fields;
  /** The beginning of an error message; without it the server's own message is printed. */
  readonly failure?: string;
}
