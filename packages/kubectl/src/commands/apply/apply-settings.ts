import type { DryRun } from '../../resources/common-flags.js';
import type { Info } from '../../resources/info.js';
import type { Fields } from '../../values.js';

/** What is done to one object, and what came of it. */
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

/** Removes what earlier configurations had. */
export interface Pruner {
  /** The objects with what marks them as belonging together. */
  before(infos: readonly Info[]): Promise<readonly Info[]>;
  /** Returns what it removed. */
  after(applied: readonly Fields[]): Promise<Fields[]>;
}
