import { deepEqual, isRecord } from '@coracle/base';
import { type Fields, setField } from '../patch/fields.js';
import type { Schema } from '../schema.js';
import { indexItems, Repeated } from './list-items.js';
import { type KeyedShape, type SetShape, type Shape, settle, shapeOf } from './shape.js';

/**
 * Merges an applied configuration into the live object. Neither is changed. The result shares parts with both, and
 * unchanged values are identical with those of the live object.
 */
export function mergeObjects(live: unknown, config: unknown, schema: Schema): unknown {
  return mergeValues(live, config, shapeOf(schema));
}

function mergeValues(live: unknown, config: unknown, untypedShape: Shape): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const shape = settle(untypedShape, config ?? live);
  switch (shape.kind) {
    case 'leaf':
      return deepEqual(live, config) ? live : config;
    case 'set':
    case 'keyed':
      return mergeLists(live, config, shape);
    default:
      return mergeFields(live, config, shape);
  }
}

function mergeFields(live: unknown, config: unknown, shape: Shape): unknown {
  if (isBlank(live) || !isRecord(live)) return config;
  // A configuration without fields leaves the object unchanged.
  if (config === null) return live;
  return isRecord(config) ? mergeInto(live, config, shape) : config;
}

function isBlank(value: unknown): boolean {
  if (!isRecord(value)) return value === null;
  for (const _ in value) return false;
  return true;
}

function mergeInto(live: Fields, config: Fields, shape: Shape): Fields {
  let merged: Record<string, unknown> | undefined;
  for (const name in config) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    const after = mergeValues(before, config[name], shapeAt(shape, name));
    if (after === before) continue;
    merged ??= { ...live };
    setField(merged, name, after);
  }
  return merged ?? live;
}

function shapeAt(shape: Shape, name: string): Shape {
  if (shape.kind === 'struct') return shape.field(name).shape;
  return shape.kind === 'map' ? shape.values : { kind: 'deduced' };
}

function mergeLists(live: unknown, config: unknown, shape: SetShape | KeyedShape): unknown {
  if (!Array.isArray(live) || live.length === 0) return config;
  if (!Array.isArray(config)) return config === null ? live : config;
  return mergePairs(live, config, shape) ?? mergeByElement(live, config, shape);
}

/** The quick way for lists that name the same items in the same order; `undefined` if they do not. */
function mergePairs(live: readonly unknown[], config: readonly unknown[], shape: SetShape | KeyedShape) {
  if (live.length !== config.length) return undefined;
  for (let i = 0; i < live.length; i++) {
    const element = shape.elementOf(live[i]);
    if (element === undefined || element !== shape.elementOf(config[i])) return undefined;
  }
  const merged = live.map((item, i) => mergeItem(item, config[i], shape));
  return merged.every((item, i) => item === live[i]) ? live : merged;
}

function mergeByElement(live: readonly unknown[], config: readonly unknown[], shape: SetShape | KeyedShape) {
  const before = indexItems(live, shape);
  const applied = indexItems(config, shape);
  const merged: unknown[] = [];
  for (const element of mergedOrder([...before.keys()], [...applied.keys()])) {
    const item = applied.get(element);
    if (item === undefined) merged.push(...Repeated.itemsOf(before.get(element)));
    else merged.push(mergeItem(before.get(element), item, shape));
  }
  return merged.length === live.length && merged.every((item, i) => item === live[i]) ? live : merged;
}

/** If the live list repeats an item, the applied one replaces all of them. */
function mergeItem(live: unknown, applied: unknown, shape: SetShape | KeyedShape): unknown {
  if (shape.kind === 'set' || live === undefined || live instanceof Repeated) return applied;
  return mergeValues(live, applied, shape.items);
}

/**
 * The order of a merged list: applied items keep theirs, and live ones precede the next item that both have. Live `a b
 * c` and applied `c a` give `b c a`.
 */
function mergedOrder(live: readonly string[], applied: readonly string[]): string[] {
  const isLive = new Set(live);
  const isApplied = new Set(applied);
  const shared = applied.filter((element) => isLive.has(element));
  const order: string[] = [];
  let [nextLive, nextApplied, nextShared] = [0, 0, 0];
  while (nextLive < live.length || nextApplied < applied.length) {
    const old = live[nextLive];
    const now = applied[nextApplied];
    if (old !== undefined && !isApplied.has(old) && (now === undefined || now !== old)) {
      order.push(old);
      nextLive++;
    } else if (old !== undefined && old !== now && (now === undefined || shared[nextShared] !== old)) nextLive++;
    else if (now !== undefined) {
      order.push(now);
      nextApplied++;
      if (old === now) nextLive++;
      if (shared[nextShared] === now) nextShared++;
    }
  }
  return order;
}
