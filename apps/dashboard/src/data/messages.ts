import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { PodSummary } from '../model/pod-map.js';
import type { Column, WindowRow } from '../model/table.js';
import type { PageIdentity } from './page-transport.js';
import type { View } from './row-store.js';

/** Which objects a table shows. */
export interface TableSpec {
  readonly ref: ResourceRef<KubeObject>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** As of this revision, and then without changes. */
  readonly at?: string | undefined;
}

/** A part of a table: rows `from` to `to` of those that match. */
export interface Window extends View {
  readonly from: number;
  readonly to: number;
}

/** From the page to its worker. */
export type ToWorker =
  | { readonly type: 'start'; readonly identity: PageIdentity }
  | { readonly type: 'open'; readonly id: number; readonly spec: TableSpec; readonly window: Window }
  | { readonly type: 'look'; readonly id: number; readonly window: Window }
  /** Pods by node, as the overview shows them. */
  | { readonly type: 'summarise'; readonly id: number; readonly spec: TableSpec }
  | { readonly type: 'close'; readonly id: number };

/** The state of the connection to the server. */
export interface TableState {
  readonly at: 'loading' | 'live' | 'past' | 'failed';
  readonly message?: string;
  readonly code?: number;
}

export interface TableUpdate {
  readonly columns: readonly Column[];
  readonly total: number;
  readonly matched: number;
  readonly from: number;
  readonly rows: readonly WindowRow[];
  readonly state: TableState;
}

/** From the worker to its page. */
export type FromWorker =
  | { readonly type: 'table'; readonly id: number; readonly update: TableUpdate }
  | { readonly type: 'summary'; readonly id: number; readonly summary: PodSummary; readonly state: TableState };
