import { describe, expect, it } from 'vitest';
import type { ConvertObject } from './ownership.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

/** In `v2` the field `text` is called `free`; `v0` is served no more. */
const convert: ConvertObject = (object, apiVersion) => {
  const { text, free, ...rest } = object as { text?: unknown; free?: unknown };
  const value = text ?? free;
  if (apiVersion === 'v0') return undefined;
  const renamed = value === undefined ? {} : apiVersion === 'v2' ? { free: value } : { text: value };
  return { object: { ...rest, ...renamed, apiVersion }, schema: thingSchema };
};

/** Changes the version in which the object is stored, as a request in that version sees it. */
function seenIn(story: Story, apiVersion: string): Story {
  const stored = story.stored as NonNullable<Story['stored']>;
  story.stored = convert(stored, apiVersion)?.object as typeof stored;
  return story;
}

describe('owners in other versions', () => {
  it('keep their fields in their own version', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a' });
    seenIn(story, 'v2').apply('two', { number: 1 }, { apiVersion: 'v2' });
    expect(story.owners()).toEqual({ one: { 'f:text': {} }, two: { 'f:number': {} } });
    expect(story.stored?.metadata.managedFields?.map((entry) => entry.apiVersion)).toEqual(['v1', 'v2']);
  });

  it('conflict by the names that the field has for them', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a' });
    expect(() => seenIn(story, 'v2').apply('two', { free: 'b' }, { apiVersion: 'v2' })).toThrow(
      'Apply failed with 1 conflict: conflict with "one": .text',
    );
  });

  it('lose the fields that an update in another version changes', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a', number: 1 });
    seenIn(story, 'v2').update('two', { free: 'b', number: 1 }, { apiVersion: 'v2' });
    expect(story.owners()).toEqual({ one: { 'f:number': {} }, 'two (Update)': { 'f:free': {} } });
  });

  it('move with an applier to the version that it applies in', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a', number: 1 });
    seenIn(story, 'v2').apply('one', { free: 'a' }, { apiVersion: 'v2' });
    expect(story.content()).toEqual({ free: 'a' });
    expect(story.owners()).toEqual({ one: { 'f:free': {} } });
  });

  it('keep the fields that an applier in another version gives up', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a', number: 1 });
    seenIn(story, 'v2').apply('two', { free: 'a' }, { apiVersion: 'v2' });
    seenIn(story, 'v1').apply('one', { number: 1 });
    expect(story.content()).toEqual({ text: 'a', number: 1 });
  });

  it('cannot be compared in a version that lacks a field, where versions are only renamed', () => {
    const renamed: ConvertObject = (object, apiVersion) => ({
      object: { ...(object as object), apiVersion },
      schema: { ...thingSchema, fields: new Map([...thingSchema.fields].filter(([name]) => name !== 'free')) },
      isRenamed: true,
    });
    const story = () => new Story(thingSchema, { convert: renamed }).apply('one', { text: 'a' });
    expect(() => story().apply('two', { free: 'b' }, { apiVersion: 'v2' })).toThrow(
      'failed to convert new object: .free: field not declared in schema',
    );
    expect(story().update('two', { text: 'a', free: 'b' }, { apiVersion: 'v2' }).owners()).toEqual({});
  });

  it('go when their version is served no more', () => {
    const story = new Story(thingSchema, { convert }).apply('one', { text: 'a' });
    const [entry] = story.stored?.metadata.managedFields ?? [];
    const stored = story.stored as NonNullable<Story['stored']>;
    story.stored = { ...stored, metadata: { ...stored.metadata, managedFields: [{ ...entry, apiVersion: 'v0' }] } };
    expect(story.apply('two', { text: 'b' }).owners()).toEqual({ two: { 'f:text': {} } });
  });
});
