import { deepCopy, deepEqual, isRecord } from '@coracle/base';
import { badRequest, requestEntityTooLarge } from '../status-error.js';
import { setField } from './fields.js';
import { type JsonPointer, parsePointer } from './json-pointer.js';
import { patchRejected } from './patch-errors.js';

/** As many operations as one JSON patch may have. */
export const maxJsonPatchOperations = 10_000;

export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * Applies a JSON patch (RFC 6902). The document is not changed; unchanged parts are shared with the result. A patch
 * that is not a list of operations is a 400, too many operations are a 413, a patch that cannot be applied is a 422. As
 * upstream does, a negative index counts from the end.
 */
export function applyJsonPatch<T>(document: T, patch: unknown): T {
  const operations = parseJsonPatch(patch);
  const draft = new Draft(document);
  for (const operation of operations) runners[operation.op]?.(draft, operation);
  return draft.root as T;
}

/** Checks the form of a patch, not whether it fits a document. */
function parseJsonPatch(patch: unknown): JsonPatchOperation[] {
  if (!Array.isArray(patch))
    throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type []handlers.jsonPatchOp');
  if (patch.length > maxJsonPatchOperations)
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${patch.length}`,
    );
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown): JsonPatchOperation {
  if (!isRecord(operation)) throw badRequest('error decoding patch: json: cannot unmarshal into jsonPatchOp');
  for (const field of ['op', 'path', 'from'])
    if (operation[field] !== undefined && operation[field] !== null && typeof operation[field] !== 'string')
      throw badRequest(`error decoding patch: json: cannot unmarshal into jsonPatchOp.${field} of type string`);
  const { op, path } = operation as Partial<JsonPatchOperation>;
  if (op === undefined || !Object.hasOwn(runners, op)) throw patchRejected(`Unexpected kind: ${op ?? 'unknown'}`);
  if (typeof path !== 'string') throw patchRejected('missing path');
  return { ...operation, op, path };
}

type Runner = (draft: Draft, operation: JsonPatchOperation) => void;

const runners: Readonly<Record<string, Runner>> = {
  add: (draft, { path, value }) =>
    draft.add(parsePointer(path), deepCopy(givenValue(value)), `error in add for path: '${path}'`),
  remove: (draft, { path }) => draft.remove(parsePointer(path), `error in remove for path: '${path}'`),
  replace: (draft, { path, value }) => draft.replace(parsePointer(path), deepCopy(givenValue(value))),
  move: (draft, { path, from }) => {
    const source = fromPointer(from);
    const value = draft.get(source, `move operation does not apply: doc is missing from path: ${from}`);
    draft.remove(source, `error in move for path: '${from}'`);
    draft.add(parsePointer(path), value, `error in move for path: '${path}'`);
  },
  copy: (draft, { path, from }) => {
    const value = draft.get(fromPointer(from), `copy operation does not apply: doc is missing from path: ${from}`);
    draft.add(parsePointer(path), deepCopy(value), `error in copy for path: '${path}'`);
  },
  test: (draft, { path, value }) => {
    const pointer = parsePointer(path);
    if (pointer.length > 0 && draft.find(pointer.slice(0, -1)) === undefined)
      throw patchRejected(`test operation does not apply: is missing path: ${path}: missing value`);
    const found = draft.find(pointer);
    if (!deepEqual(found ?? null, givenValue(value))) throw patchRejected(`testing value ${path} failed: test failed`);
  },
};

function givenValue(value: unknown): unknown {
  return value === undefined ? null : value;
}

function fromPointer(from: string | undefined): JsonPointer {
  if (typeof from !== 'string') throw patchRejected('missing from');
  return parsePointer(from);
}

/** A document that copies a container the first time that it is changed, and shares the rest with the original. */
class Draft {
  root: unknown;
  /** Containers made by this draft: they may be changed in place. */
  readonly #own = new Set<object>();

  constructor(document: unknown) {
    this.root = document;
  }

  find(pointer: JsonPointer): unknown {
    let at = this.root;
    for (const step of pointer) {
      if (Array.isArray(at)) at = at[indexOf(step, at.length)];
      else if (isRecord(at) && Object.hasOwn(at, step)) at = at[step];
      else return undefined;
    }
    return at;
  }

  get(pointer: JsonPointer, otherwise: string): unknown {
    const value = this.find(pointer);
    if (value === undefined) throw patchRejected(`${otherwise}: missing value`);
    return value;
  }

  add(pointer: JsonPointer, value: unknown, context: string): void {
    const last = pointer.at(-1);
    if (last === undefined) {
      this.root = value;
      return;
    }
    const parent = this.#open(
      pointer.slice(0, -1),
      `add operation does not apply: doc is missing path: "${format(pointer)}"`,
    );
    if (!Array.isArray(parent)) setField(parent, last, value);
    else parent.splice(last === '-' ? parent.length : checkedIndex(last, parent.length + 1, context), 0, value);
  }

  remove(pointer: JsonPointer, context: string): void {
    const last = pointer.at(-1);
    if (last === undefined) throw patchRejected(`${context}: Unable to remove nonexistent key: : missing value`);
    const parent = this.#open(
      pointer.slice(0, -1),
      `remove operation does not apply: doc is missing path: "${format(pointer)}"`,
    );
    if (Array.isArray(parent)) parent.splice(checkedIndex(last, parent.length, context), 1);
    else if (Object.hasOwn(parent, last)) delete parent[last];
    else throw patchRejected(`${context}: Unable to remove nonexistent key: ${last}: missing value`);
  }

  /** A missing field is added, as in upstream; an element must exist. */
  replace(pointer: JsonPointer, value: unknown): void {
    const last = pointer.at(-1);
    if (last === undefined) {
      this.root = value;
      return;
    }
    const path = format(pointer);
    const parent = this.#open(pointer.slice(0, -1), `replace operation does not apply: doc is missing path: ${path}`);
    if (!Array.isArray(parent)) setField(parent, last, value);
    else {
      this.get(pointer, `replace operation does not apply: doc is missing key: ${path}`);
      parent[indexOf(last, parent.length)] = value;
    }
  }

  /** The container at a pointer, as one that may be changed. */
  #open(pointer: JsonPointer, otherwise: string): Container {
    let at = this.#owned(this.root, otherwise);
    this.root = at;
    for (const step of pointer) {
      const key = Array.isArray(at) ? indexOf(step, at.length) : step;
      const next = this.#owned(
        Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : undefined,
        otherwise,
      );
      if (Array.isArray(at)) at[key as number] = next;
      else setField(at, step, next);
      at = next;
    }
    return at;
  }

  #owned(value: unknown, otherwise: string): Container {
    if (typeof value !== 'object' || value === null) throw patchRejected(`${otherwise}: missing value`);
    if (this.#own.has(value)) return value as Container;
    const copy = Array.isArray(value) ? [...value] : shallowCopy(value as Record<string, unknown>);
    this.#own.add(copy);
    return copy;
  }
}

type Container = unknown[] | Record<string, unknown>;

function shallowCopy(value: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setField(copy, key, value[key]);
  return copy;
}

/** An array position, or -1 for text that is none; negative ones count from the end. */
function indexOf(step: string, length: number): number {
  if (!/^-?\d+$/.test(step)) return -1;
  const index = Number(step);
  return index < 0 ? index + length : index;
}

function checkedIndex(step: string, length: number, context: string): number {
  const index = indexOf(step, length);
  if (index < 0 || index >= length)
    throw patchRejected(`${context}: Unable to access invalid index: ${step}: invalid index referenced`);
  return index;
}

function format(pointer: JsonPointer): string {
  return pointer.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
