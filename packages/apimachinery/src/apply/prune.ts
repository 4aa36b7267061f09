import { isRecord } from '@coracle/base';
import { setField } from '../patch/fields.js';
import { difference, type FieldSet, isEmptySet, isMember, union } from './field-set.js';
import { fieldElement } from './path-element.js';
import { type Pruning, pruneAcrossVersions } from './prune-versions.js';
import { type KeyedShape, type SetShape, type Shape, settle, shapeOf } from './shape.js';

/**
 * The merged object without the fields that the applier owned, gave up, and no other manager owns. An object that the
 * applier named is removed with all its unowned fields, since it would be left with defaults that belong to the old
 * values.
 */
export function pruneFields(pruning: Pruning): unknown {
  const { merged, last, owners, schema, apiVersion } = pruning;
  if (last === undefined) return merged;
  const all = [...owners.values()];
  if (last.apiVersion !== apiVersion || all.some((owner) => owner.apiVersion !== apiVersion))
    return pruneAcrossVersions({ ...pruning, last });
  const owned = all.map(({ fields }) => fields).reduce(union);
  if (isEmptySet(difference(last.fields, owned))) return merged;
  return prune(merged, shapeOf(schema), { last: last.fields, owned, wasOwned: false, doomed: false });
}

/** The position of the walk, which visits only fields that the applier owned. */
interface Place {
  /** The previous fields of the applier at and below this path. */
  readonly last: FieldSet;
  /** The owned fields from now on; `undefined` if there are none. */
  readonly owned: FieldSet | undefined;
  /** Whether the applier owned the place or what holds it. */
  readonly wasOwned: boolean;
  /**
   * Whether it is removed, if it was the applier's: the applier gave it up, or its parent, and no other manager owns
   * it.
   */
  readonly doomed: boolean;
}

function prune(value: unknown, untypedShape: Shape, place: Place): unknown {
  const shape = settle(untypedShape, value);
  switch (shape.kind) {
    case 'leaf':
      return value;
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? pruneItems(value, shape, place) : value;
    default:
      return isRecord(value) ? pruneNamed(value, shape, place) : value;
  }
}

function pruneNamed(value: Readonly<Record<string, unknown>>, shape: Shape, place: Place): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const field = shape.kind === 'struct' ? shape.field(name) : undefined;
    const below = field?.shape ?? (shape as { values: Shape }).values;
    const at = stepTo(field?.element ?? fieldElement(name), place, field?.named ?? false);
    if (at === undefined) continue;
    const left = at === 'gone' ? undefined : prune(value[name], below, at);
    if (left === value[name]) continue;
    copy ??= { ...value };
    if (left === undefined) delete copy[name];
    else setField(copy, name, left);
  }
  if (copy === undefined) return value;
  return Object.keys(copy).length > 0 ? copy : null;
}

function pruneItems(list: readonly unknown[], shape: SetShape | KeyedShape, place: Place): unknown {
  const result: unknown[] = [];
  for (const item of list) {
    const element = shape.elementOf(item);
    const at = element === undefined ? undefined : stepTo(element, place, false);
    if (at === 'gone') continue;
    result.push(at === undefined || shape.kind === 'set' ? item : prune(item, shape.items, at));
  }
  if (result.length === list.length && result.every((item, i) => item === list[i])) return list;
  return result.length > 0 ? result : null;
}

/**
 * The place below; `undefined` where the applier owned nothing. A manager that owns something in a named field owns the
 * field in this sense, but a manager that owns something in an item or in a key of a map does not thereby own these.
 */
function stepTo(element: string, { last, owned, wasOwned, doomed }: Place, named: boolean): Place | 'gone' | undefined {
  const lastBelow = last[element];
  if (lastBelow === undefined) return undefined;
  const ownedBelow = owned?.[element];
  const ownedHere = named || isMember(lastBelow);
  const isOwned = ownedBelow !== undefined && (named || isMember(ownedBelow));
  const wasOwnedBelow = wasOwned || ownedHere;
  const doomedBelow = doomed || (wasOwnedBelow && !isOwned);
  if (ownedHere && doomedBelow) return 'gone';
  return { last: lastBelow, owned: ownedBelow, wasOwned: wasOwnedBelow, doomed: doomedBelow };
}
