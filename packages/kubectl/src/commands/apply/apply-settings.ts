import type { DryRun } from '../../resources/common-flags.js';
import type { Info } from '../../resources/info.js';
import type { Fields } from '../../values.js';

/** The action on one object, and its result. */
export interface Applied {
  readonly object: Fields;
  readonly operation: string;
}

export interface ApplySettings {
  readonly dryRun: DryRun;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly overwrite: boolean;
  readonly force: boolean;
  readonly forceConflicts: boolean;
  readonly subresource: string;
}

/** Prunes objects of earlier configurations. */
export interface Pruner {
  /** Adds the labels of the set to the objects. */
  before(infos: readonly Info[]): Promise<readonly Info[]>;
  /** Returns the removed objects. */
  after(applied: readonly Fields[]): Promise<Fields[]>;
}
