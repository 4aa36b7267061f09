import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjectSchema } from '../schema.js';
import { compareObjects, isSame } from './compare.js';
import { createdFields } from './created-fields.js';
import { emptyObject } from './empty-object.js';
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  leaves,
  recursiveDifference,
  union,
} from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { mergeObjects } from './merge.js';
import { unownedFields } from './ownership.js';
import { pruneFields } from './prune.js';
import { pruneAcrossVersions } from './prune-versions.js';
import { removeFields } from './remove.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

const name = fc.constantFrom('a', 'b', 'c');
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T) => fc.record(model, { requiredKeys: [] });
const map = fc.dictionary(name, name, { noNullPrototype: true, minKeys: 1 });
const port = fc.record({ port: fc.integer({ min: 1, max: 3 }), note: name }, { requiredKeys: ['port'] });
const item = fc.record(
  { name, value: name, labels: map, ports: fc.uniqueArray(port, { selector: (p) => p.port, minLength: 1 }) },
  { requiredKeys: ['name'] },
);
const thing = optional({
  text: name,
  map,
  atomicMap: map,
  struct: fc.record({ a: name, inner: fc.record({ x: name }) }),
  set: fc.uniqueArray(name, { minLength: 1 }),
  atomicList: fc.array(name, { minLength: 1 }),
  items: fc.uniqueArray(item, { selector: (i) => i.name, minLength: 1 }),
  free: fc.record({ a: fc.oneof(name, map) }),
});

/** The same type, of which some fields are always there. */
const framedSchema: ObjectSchema = {
  ...thingSchema,
  fields: new Map(
    [...thingSchema.fields].map(([name, field]) => {
      const presence = ['metadata', 'struct', 'text'].includes(name) ? 'always' : name === 'items' ? 'null' : 'given';
      return [name, { ...field, presence }];
    }),
  ),
};

const holds = (law: (a: object, b: object, c: object) => void) =>
  fc.assert(
    fc.property(thing, thing, thing, (a, b, c) => {
      law(a, b, c);
    }),
    { numRuns: 200 },
  );

describe('laws of apply', () => {
  it('an object does not differ from itself or from its copy', () =>
    holds((a) => {
      expect(isSame(compareObjects(a, structuredClone(a), thingSchema))).toBe(true);
    }));

  it('the creator of an object owns its difference from an empty one', () =>
    holds((a, b) => {
      for (const schema of [thingSchema, framedSchema, { type: 'any' } as const]) {
        const { items = [] } = a as { items?: object[] };
        const doubled = items.length > 1 ? {} : { items: [...items, ...items] };
        const object = { kind: 'Thing', metadata: { name: 'a', labels: b, uid: 'u' }, ...a, ...doubled };
        const { added, modified } = compareObjects(emptyObject(schema), object, schema);
        const found = difference(union(modified, added), unownedFields);
        expect(createdFields({ object, schema, resetFields: undefined })).toEqual(found);
        const resetFields = { 'f:struct': {}, 'f:items': { 'k:{"name":"a"}': {} } };
        const left = recursiveDifference(found, resetFields);
        expect(createdFields({ object, schema, resetFields })).toEqual(left);
      }
    }));

  it('an addition one way is a removal the other way, and changes are the same', () =>
    holds((a, b) => {
      const there = compareObjects(a, b, thingSchema);
      const back = compareObjects(b, a, thingSchema);
      expect(there.added).toEqual(back.removed);
      expect(there.modified).toEqual(back.modified);
    }));

  it('merging an object into itself changes nothing, and returns the same object', () =>
    holds((a) => {
      expect(mergeObjects(a, structuredClone(a), thingSchema)).toBe(a);
    }));

  it('a merged object has the fields of both, and the values of the applied one', () =>
    holds((a, b) => {
      const merged = mergeObjects(a, b, thingSchema);
      const missing = difference(fieldsOf(b, thingSchema), fieldsOf(merged, thingSchema));
      expect(missing).toEqual({});
      const { added, modified } = compareObjects(merged, b, thingSchema);
      expect(isEmptySet(union(added, modified))).toBe(true);
    }));

  it('removing all fields of an object leaves nothing, and removing none leaves it unchanged', () =>
    holds((a, b) => {
      expect(removeFields(a, {}, thingSchema)).toBe(a);
      const left = removeFields(a, fieldsOf(b, thingSchema), thingSchema) ?? {};
      const both = intersection(leaves(fieldsOf(a, thingSchema)), leaves(fieldsOf(b, thingSchema)));
      expect(intersection(leaves(fieldsOf(left, thingSchema)), both)).toEqual({});
    }));

  it('applying twice is applying once', () =>
    holds((a, b) => {
      const story = new Story(thingSchema).apply('one', a).apply('two', b, { force: true });
      const before = structuredClone(story.stored);
      expect(story.apply('two', b, { force: true }).stored).toEqual(before);
    }));

  it('a sole manager gets exactly what it applied, after any earlier applies', () =>
    holds((a, b) => {
      expect(new Story(thingSchema).apply('one', a).apply('one', b).content()).toEqual(b);
    }));

  it('pruning in one version and across versions is the same', () =>
    holds((a, b, c) => {
      const merged = mergeObjects(mergeObjects(a, b, thingSchema), c, thingSchema);
      const owner = (manager: string, fields: FieldSet) =>
        ({ manager, operation: 'Apply', apiVersion: 'v1', subresource: '', time: undefined, fields }) as const;
      const last = owner('one', fieldsOf(a, thingSchema));
      const owners = new Map([
        ['one', owner('one', fieldsOf(b, thingSchema))],
        ['two', owner('two', fieldsOf(c, thingSchema))],
      ]);
      const pruning = { merged, last, owners, schema: thingSchema, apiVersion: 'v1', convert: undefined };
      expect(pruneFields(pruning)).toEqual(pruneAcrossVersions(pruning));
    }));
});
