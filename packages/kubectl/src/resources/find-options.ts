import type { Info } from './info.js';

/** The objects of the arguments and files of a command. */
export interface FindOptions {
  readonly args?: readonly string[];
  readonly filenames?: readonly string[];
  readonly kustomize?: string;
  readonly recursive?: boolean;
  readonly namespace: string;
  /** The user named the namespace: objects of files may not be in another one. */
  readonly enforceNamespace?: boolean;
  readonly allNamespaces?: boolean;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** All objects of the types. */
  readonly all?: boolean;
  /** Types alone mean all their objects, as with `get`. */
  readonly listsTypes?: boolean;
  readonly chunkSize?: number;
  /** Does not read objects that are named; their infos have no content. */
  readonly namesOnly?: boolean;
  /** Objects of files are read: their infos have what the server has. */
  readonly latest?: boolean;
  readonly local?: boolean;
  readonly singleType?: boolean;
  /** The form in which objects are requested: tables, for example. */
  readonly accept?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly subresource?: string;
  readonly validate?: boolean;
  /** Lists stay whole: an info holds a list. */
  readonly keepLists?: boolean;
  readonly ignoreNotFound?: boolean;
}

/** The result. Errors are collected with the objects that were found. */
export interface Found {
  readonly infos: Info[];
  readonly errors: unknown[];
  /** One object was requested, by name or by a file with one. */
  readonly single: boolean;
}
