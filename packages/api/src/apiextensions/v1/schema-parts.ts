import { type FieldError, type FieldPath, type GoRegexpError, goRegexp, invalidField } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import type { RuleCosts } from './rule-costs.js';

/** Context of a node from the nodes above it. */
export interface NodePlace {
  readonly isRoot?: boolean;
  /** The types of fields are known, so that expressions can be compiled. */
  readonly compiles: boolean;
  /** Within the metadata of an object. */
  readonly insideMeta?: boolean;
  /** Why there may be no default here. */
  readonly noDefaults?: string;
  /** The node above within which old and new values cannot be correlated. */
  readonly uncorrelatable?: FieldPath;
  /** Maximum number of values at this path in an object; absent where it is unbounded. */
  readonly cardinality?: number;
  /** Cost budget of the expressions of the schema. */
  readonly costs?: RuleCosts;
}

/** The schema of the items; absent also where `items` is a list, or no schema at all. */
export function itemSchema({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isRecord(items) ? items : undefined;
}

export function checkPattern(path: FieldPath, pattern: string | undefined): FieldError[] {
  if (!pattern) return [];
  try {
    goRegexp(pattern);
    return [];
  } catch (error) {
    const { message } = error as GoRegexpError;
    return [invalidField(path, pattern, `must be a valid regular expression, but isn't: ${message}`)];
  }
}
