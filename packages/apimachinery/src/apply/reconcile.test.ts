import { describe, expect, it } from 'vitest';
import type { ObjectSchema, Schema } from '../schema.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

/** The schema with another type of one field. */
function changed(name: string, schema: Schema): ObjectSchema {
  const field = thingSchema.fields.get(name);
  if (!field) throw new Error(`no field ${name}`);
  return { ...thingSchema, fields: new Map([...thingSchema.fields, [name, { ...field, schema }]]) };
}

/** The same object after its CRD has changed. */
function continued(story: Story, schema: ObjectSchema): Story {
  const next = new Story(schema);
  next.stored = story.stored;
  return next;
}

const atomicMap = changed('map', { type: 'map', values: { type: 'string' }, mapType: 'atomic' });
const atomicItems = changed('items', { type: 'list', items: { type: 'any' } });

describe('a schema that changes', () => {
  it('assigns a field that became atomic as a whole to the manager of a part', () => {
    const story = continued(new Story(thingSchema).apply('one', { map: { a: '1' } }), atomicMap);
    expect(() => story.apply('two', { map: { b: '2' } })).toThrow('conflict with "one": .map');
    expect(story.apply('two', { map: { b: '2' } }, { force: true }).owners()).toEqual({ two: { 'f:map': {} } });
  });

  it('takes lists for atomic that were not', () => {
    const story = continued(new Story(thingSchema).update('one', { items: [{ name: 'a' }] }), atomicItems);
    expect(story.update('two', { items: [{ name: 'a' }], text: 'x' }).owners()).toEqual({
      'one (Update)': { 'f:items': {} },
      'two (Update)': { 'f:text': {} },
    });
  });

  it('treats a field that became granular as if it always was', () => {
    const story = continued(new Story(atomicMap).apply('one', { map: { a: '1' } }), thingSchema);
    expect(story.apply('two', { map: { b: '2' } }).content()).toEqual({ map: { a: '1', b: '2' } });
    expect(story.owners()).toEqual({ one: { 'f:map': {} }, two: { 'f:map': { 'f:b': {} } } });
  });
});
