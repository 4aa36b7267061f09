import type { KubeObject } from '@coracle/apimachinery';

/** A column as the server describes it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** 0 is always shown; others where there is room. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** An object as the server prints it: its cells, and of itself only what identifies it. */
export interface Row extends KubeObject {
  readonly cells: readonly Cell[];
  /** When it came, in milliseconds: cells that say how long ago something was are from then. */
  readonly readAt: number;
}

/** A row as the page gets it. */
export interface WindowRow {
  readonly key: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly version?: string | undefined;
  readonly created?: string | undefined;
  readonly isEnding: boolean;
  readonly cells: readonly Cell[];
  readonly readAt: number;
}
