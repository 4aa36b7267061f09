import { isRecord } from '@coracle/base';
import type { ManagedFieldsEntry } from '../object-meta.js';
import { emptySet, type FieldSet, isEmptySet, leaf, type MutableFieldSet, sorted } from './field-set.js';
import { compareElements, keyText, parseElement } from './path-element.js';

/** The fields that a manager owns: one parsed entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The version in which the fields are named. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry with these contents, so that a manager without changes keeps its entry object. */
  readonly entry?: ManagedFieldsEntry;
}

/** Owners by identity. Never changed in place. */
export type Owners = ReadonlyMap<string, Owner>;

/**
 * The identity of an entry: manager, operation and subresource, and for updates the version too. It is upstream's text,
 * so that sorting by it gives upstream's order.
 */
export function ownerId(owner: Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const start = manager && `${keyText('manager', manager)},`;
  const version = operation === 'Update' ? `,${keyText('apiVersion', apiVersion)}` : '';
  const end = subresource && `,${keyText('subresource', subresource)}`;
  return `{${start}"operation":"${operation}"${version}${end}}`;
}

/** `undefined` if any entry is malformed: then all of them are invalid. */
export function decodeManagedFields(entries: unknown): Owners | undefined {
  const owners = new Map<string, Owner>();
  if (entries === undefined || entries === null) return owners;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) {
    const decodedEntry = decodeEntry(entry);
    if (decodedEntry === undefined) return undefined;
    owners.set(decodedEntry.id, decodedEntry.owner);
  }
  return owners;
}

interface DecodedEntry {
  readonly id: string;
  readonly owner: Owner;
}

function decodeEntry(entry: unknown): DecodedEntry | undefined {
  if (!isRecord(entry)) return undefined;
  const {
    manager = '',
    operation,
    apiVersion,
    subresource = '',
    time,
    fieldsType,
    fieldsV1,
  } = entry as ManagedFieldsEntry;
  if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1') return undefined;
  const fields = fieldsV1 === undefined || fieldsV1 === null ? emptySet : parseFieldSet(fieldsV1);
  if (fields === undefined) return undefined;
  const own = fields === fieldsV1 ? { entry } : undefined;
  const owner = { manager, operation, apiVersion, subresource, time: time ?? undefined, fields, ...own } as const;
  return { id: ownerId(owner), owner };
}

/**
 * The entries as they are stored, in upstream's order; `undefined` if there are none. `recall` may name a set that says
 * the same as one given.
 */
export function encodeManagedFields(
  owners: Owners,
  recall: (fields: FieldSet) => FieldSet = (fields) => fields,
): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const all = [...owners];
  if (all.length > 1) all.sort(([, a], [, b]) => compareOwners(a, b));
  return all.map(([, owner]) => owner.entry ?? encodeOwner(owner, recall(owner.fields)));
}

/** The entry of one owner. */
export function encodeOwner(owner: Owner, fields: FieldSet): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {
    manager: owner.manager,
    operation: owner.operation,
    apiVersion: owner.apiVersion,
  };
  if (owner.manager === '') delete entry.manager;
  if (owner.time !== undefined) entry.time = owner.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = fields;
  if (owner.subresource !== '') entry.subresource = owner.subresource;
  canonicalSets.add(fields);
  return entry;
}

/** The owner with other fields. */
export function withFields(owner: Owner, fields: FieldSet): Owner {
  const { manager, operation, apiVersion, subresource, time } = owner;
  return { manager, operation, apiVersion, subresource, time, fields };
}

/** Appliers first, then by time, manager, version and subresource. */
function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The time of a manager's last change, in seconds; 0 if it is not known. */
export function secondsOf({ time }: Owner): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;
}

/** Whether the field is sent in the form that resets managedFields. */
export function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  return entries.length === 0 || (isRecord(entries[0]) && Object.keys(entries[0]).length === 0);
}

/** Sets that are known to be canonical, which are in stored objects and never change: a cache and not state. */
const canonicalSets = new WeakSet<object>();

/** Parses `fieldsV1`; `undefined` if it is invalid. Canonical input is returned unchanged. */
export function parseFieldSet(value: unknown): FieldSet | undefined {
  if (!isRecord(value)) return undefined;
  if (canonicalSets.has(value)) return value as FieldSet;
  if (!isCanonical(value)) return makeCanonical(value);
  canonicalSets.add(value);
  return value as FieldSet;
}

/** Whether the value is a field set in its only form, found out without making anything. */
function isCanonical(value: Readonly<Record<string, unknown>>): boolean {
  let previous: string | undefined;
  let count = 0;
  for (const element in value) {
    const below = value[element];
    if (!isRecord(below) || !isCanonicalElement(element) || !isCanonical(below)) return false;
    if (previous !== undefined && compareElements(previous, element) >= 0) return false;
    previous = element;
    count++;
  }
  return count !== 1 || previous !== '.';
}

function isCanonicalElement(element: string): boolean {
  return element === '.' || element.startsWith('f:') || parseElement(element) === element;
}

function makeCanonical(value: Readonly<Record<string, unknown>>): FieldSet | undefined {
  const set: MutableFieldSet = {};
  const names = Object.keys(value);
  for (const name of names) {
    const element = name === '.' ? name : parseElement(name);
    const below = parseFieldSet(value[name]);
    if (element === undefined || below === undefined || (name === '.' && !isEmptySet(below))) return undefined;
    set[element] = below;
  }
  return names.length === 1 && names[0] === '.' ? leaf : sorted(set);
}
