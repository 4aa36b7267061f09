import type { CelType } from './cel-type.js';
import type { CelValue } from './cel-value.js';

/** A type that expressions can make values of: `Object.spec{replicas: 3}`. */
export interface CelMessageType {
  /** Of the values that are made. */
  readonly type: CelType;
  fieldType(field: string): CelType | undefined;
  create(fields: ReadonlyMap<string, CelValue>): CelValue;
}

export type FindMessageType = (name: string) => CelMessageType | undefined;
