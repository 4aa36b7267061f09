import type { Millis } from '@coracle/base';
import type { KubeObject } from './object-meta.js';

/** `metav1.TableColumnDefinition`. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  /** `name` marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only in wide tables. */
  readonly priority: number;
}

/** `metav1.TableRowCondition`: a condition of a row for clients that do not know its kind. */
export interface TableRowCondition {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** The columns of a kind, and a row of cells for each object. Pure. */
export interface TablePrinter<T extends KubeObject = KubeObject> {
  readonly columns: readonly TableColumn[];
  /** The columns whose cells change as time passes; all others stay as they are for as long as the object does. */
  readonly timed: readonly number[];
  /** One cell: a string, a number or a boolean. */
  cell(object: T, column: number, now: Millis): unknown;
  /** All cells of a row, in the order of the columns. */
  cells(object: T, now: Millis): unknown[];
  conditions?(object: T): readonly TableRowCondition[] | undefined;
  /** The order of the rows of a list; that of the list unless stated. */
  compare?(left: T, right: T): number;
}
