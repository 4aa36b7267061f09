import type { Int64 } from '../int64.js';
/** One step from values to values. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'root' }
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step?: number }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  | { readonly kind: 'filter'; readonly left: Path; readonly operator?: FilterOperator; readonly right: Path }
  | { readonly kind: 'constant'; readonly value: string | Int64 | boolean };

export type FilterOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';

export type Path = readonly Step[];

/** A template is text with paths in it, and parts that are repeated for each value of a path. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly body: readonly Part[] };

/** An error in a template, or in its evaluation. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}
