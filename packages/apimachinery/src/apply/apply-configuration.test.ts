import { deepFreeze } from '@coracle/base';
import { describe, expect, it } from 'vitest';
import { type Case, item, play, runCases } from './apply-cases.fixture.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

const leaves: Case[] = [
  {
    does: 'creates what is applied',
    steps: [{ by: 'one', apply: { text: 'a', number: 1 } }],
    gives: { text: 'a', number: 1 },
    owners: { one: { 'f:number': {}, 'f:text': {} } },
  },
  {
    does: 'changes what the same manager applied',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'one', apply: { text: 'b' } },
    ],
    gives: { text: 'b' },
    owners: { one: { 'f:text': {} } },
  },
  {
    does: 'removes what its manager gives up',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
    owners: { one: { 'f:text': {} } },
  },
  {
    does: 'leaves what others applied',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { number: 1 } },
    ],
    gives: { text: 'a', number: 1 },
    owners: { one: { 'f:text': {} }, two: { 'f:number': {} } },
  },
  {
    does: 'shares a field of the same value',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
    owners: { one: { 'f:text': {} }, two: { 'f:text': {} } },
  },
  {
    does: 'keeps a shared field when one gives it up',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', apply: { text: 'a' } },
      { by: 'one', apply: { number: 1 } },
    ],
    gives: { text: 'a', number: 1 },
    owners: { one: { 'f:number': {} }, two: { 'f:text': {} } },
  },
  {
    does: 'removes a shared field when the last gives it up',
    steps: [
      { by: 'one', apply: { text: 'a', flag: true } },
      { by: 'two', apply: { text: 'a', number: 1 } },
      { by: 'one', apply: { flag: true } },
      { by: 'two', apply: { number: 1 } },
    ],
    gives: { flag: true, number: 1 },
  },
  {
    does: 'conflicts with another applier',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { text: 'b' } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .text',
  },
  {
    does: 'conflicts when sharing ends in another value',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { text: 'a' } },
      { by: 'one', apply: { text: 'b' } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "two": .text',
  },
  {
    does: 'takes a field by force',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', apply: { text: 'b' }, force: true },
    ],
    gives: { text: 'b', number: 1 },
    owners: { one: { 'f:number': {} }, two: { 'f:text': {} } },
  },
  {
    does: 'drops a manager that has nothing left',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { text: 'b' }, force: true },
    ],
    owners: { two: { 'f:text': {} } },
  },
  {
    does: 'drops a manager that gives up everything',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { number: 1 } },
      { by: 'one', apply: {} },
    ],
    gives: { number: 1 },
    owners: { two: { 'f:number': {} } },
  },
  {
    does: 'lists the conflicts with several managers',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { number: 1, flag: true } },
      { by: 'three', apply: { text: 'b', number: 2, flag: false } },
    ],
    conflict:
      'Apply failed with 3 conflicts: conflicts with "one":\n- .text\nconflicts with "two":\n- .flag\n- .number',
  },
  {
    does: 'conflicts with an updater',
    steps: [
      { by: 'one', update: { text: 'a' } },
      { by: 'two', apply: { text: 'b' } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one" using v1: .text',
  },
  {
    does: 'shares a field with an updater',
    steps: [
      { by: 'one', update: { text: 'a' } },
      { by: 'two', apply: { text: 'a' } },
    ],
    owners: { two: { 'f:text': {} }, 'one (Update)': { 'f:text': {} } },
  },
  {
    does: 'leaves a field that an updater owns, too',
    steps: [
      { by: 'one', update: { text: 'a' } },
      { by: 'two', apply: { text: 'a' } },
      { by: 'two', apply: {} },
    ],
    gives: { text: 'a' },
    owners: { 'one (Update)': { 'f:text': {} } },
  },
  {
    does: 'loses to an update',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', update: { text: 'b', number: 1 } },
    ],
    owners: { one: { 'f:number': {} }, 'two (Update)': { 'f:text': {} } },
  },
  {
    does: 'leaves a field that it lost to an update',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', update: { text: 'b', number: 1 } },
      { by: 'one', apply: { number: 1 } },
    ],
    gives: { text: 'b', number: 1 },
  },
  {
    does: 'gets back what an update removed',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', update: { number: 1 } },
      { by: 'one', apply: { text: 'a', number: 1 } },
    ],
    gives: { text: 'a', number: 1 },
    owners: { one: { 'f:number': {}, 'f:text': {} } },
  },
  {
    does: 'forgets the owner of what an update removed',
    steps: [
      { by: 'one', apply: { text: 'a', number: 1 } },
      { by: 'two', update: { number: 1 } },
    ],
    owners: { one: { 'f:number': {} } },
  },
  {
    does: 'sets a field of a custom resource to null, and owns it',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'one', apply: { text: null } },
    ],
    gives: { text: null },
    owners: { one: { 'f:text': {} } },
  },
  {
    does: 'conflicts by null',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'two', apply: { text: null } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .text',
  },
];

describe('applyConfiguration', () => {
  describe('leaves', () => runCases(leaves));

  const badConfigs: { why: string; config: object; says: string }[] = [
    { why: 'an unknown field', config: { zz: 1 }, says: '.zz: field not declared in schema' },
    {
      why: 'a number for text',
      config: { text: 1 },
      says: '.text: expected string, got &value.valueUnstructured{Value:1}',
    },
    {
      why: 'text for a number',
      config: { number: '1' },
      says: '.number: expected numeric (int or float), got &value.valueUnstructured{Value:"1"}',
    },
    {
      why: 'text for a boolean',
      config: { flag: 'yes' },
      says: '.flag: expected boolean, got &value.valueUnstructured{Value:"yes"}',
    },
    { why: 'a list for a map', config: { map: [] }, says: '.map: expected map, got &{[]}' },
    { why: 'a map for a list', config: { items: {} }, says: '.items: expected list, got &{map[]}' },
    {
      why: 'a wrong type inside of what is atomic',
      config: { atomicList: [1] },
      says: '.atomicList[0]: expected string',
    },
    {
      why: 'an item without its key',
      config: { items: [{ value: '1' }] },
      says: '.items: element 0: associative list with keys has an element that omits all key fields ["name"]',
    },
    {
      why: 'an item that is null',
      config: { items: [null] },
      says: '.items: element 0: associative list with keys may not have a null element',
    },
    {
      why: 'an item that is text',
      config: { items: ['a'] },
      says: '.items: element 0: associative list with keys may not have non-map elements',
    },
    {
      why: 'repeated items',
      config: { items: [item('a'), item('a')] },
      says: '.items: duplicate entries for key [name="a"]',
    },
    {
      why: 'items that repeat by a defaulted key',
      config: { items: [item('a', { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] })] },
      says: '.items[name="a"].ports: duplicate entries for key [port=1,protocol="TCP"]',
    },
    { why: 'a repeated value in a set', config: { set: ['a', 'a'] }, says: '.set: duplicate entries for key [="a"]' },
    {
      why: 'null in a set',
      config: { set: [null] },
      says: ".set: element 0: associative list without keys has an element that's an explicit null",
    },
    {
      why: 'an object in a set',
      config: { set: [{}] },
      says: ".set: element 0: associative list without keys has an element that's a map type",
    },
    {
      why: 'several at once',
      config: { text: 1, flag: 'x' },
      says: 'errors:\n  .text: expected string, got &value.valueUnstructured{Value:1}\n  .flag: expected boolean',
    },
  ];

  it.each(badConfigs)('refuses $why', ({ config, says }) => {
    const failure = play(new Story(thingSchema), [{ by: 'one', apply: config }]);
    expect(failure?.status.code).toBe(500);
    expect(failure?.message).toContain('failed to create typed patch object (/x; /v1, Kind=Thing): ');
    expect(failure?.message).toContain(says);
  });

  it('refuses a configuration that names owners', () => {
    const failure = play(new Story(thingSchema), [{ by: 'one', apply: { metadata: { managedFields: [] } } }]);
    expect(failure?.status).toMatchObject({ code: 400, message: 'metadata.managedFields must be nil' });
  });

  it('refuses a configuration of another version', () => {
    const failure = play(new Story(thingSchema), [{ by: 'one', apply: { apiVersion: 'v2' } }]);
    expect(failure?.status.code).toBe(400);
    expect(failure?.message).toContain('Specified patch version: v2, expected: v1');
  });

  it('names every field of a conflict as a cause', () => {
    const failure = play(new Story(thingSchema), [
      { by: 'one', update: { text: 'a', map: { k: '1' } } },
      { by: 'two', apply: { text: 'b', map: { k: '2' } } },
    ]);
    expect(failure?.status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(failure?.status.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one" using v1', field: '.text' },
      { reason: 'FieldManagerConflict', message: 'conflict with "one" using v1', field: '.map.k' },
    ]);
  });

  it('assigns fields from before the first apply to a separate manager', () => {
    const story = new Story(thingSchema);
    story.stored = { metadata: { name: 'x' }, apiVersion: 'v1', kind: 'Thing', text: 'a' };
    expect(story.apply('one', { number: 1 }).owners()).toEqual({
      one: { 'f:number': {} },
      'before-first-apply (Update)': { 'f:text': {} },
    });
    expect(play(story, [{ by: 'one', apply: { text: 'b' } }])?.message).toContain(
      '"before-first-apply" using v1: .text',
    );
  });

  it('lets kubectl take over the fields of its client-side apply', () => {
    const lastApplied = JSON.stringify({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, text: 'a' });
    const metadata = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied } };
    const schema = {
      ...thingSchema,
      preserveUnknown: true,
      fields: new Map([...thingSchema.fields].filter(([name]) => name !== 'metadata')),
    };
    const story = new Story(schema).update('kubectl-client-side-apply', { metadata, text: 'a', number: 1 });
    expect(play(story, [{ by: 'other', apply: { text: 'b' } }])?.message).toContain('.text');
    expect(play(story, [{ by: 'kubectl', apply: { number: 2 } }])?.message).toContain('.number');
    expect(play(story, [{ by: 'kubectl', apply: { text: 'b' } }])).toBeUndefined();
    expect(story.owners()).toMatchObject({ kubectl: { 'f:text': {} } });
  });

  it('keeps the time of an apply without changes, and renews it otherwise', () => {
    const story = new Story(thingSchema).apply('one', { text: 'a' });
    const times = () => story.stored?.metadata.managedFields?.map(({ time }) => time);
    expect(times()).toEqual(['2026-01-01T00:00:01Z']);
    story.apply('one', { text: 'a' });
    expect(times()).toEqual(['2026-01-01T00:00:01Z']);
    story.apply('one', { text: 'b' });
    expect(times()).toEqual(['2026-01-01T00:00:03Z']);
  });

  it('owns no fields that the request cannot change', () => {
    const story = new Story(thingSchema, { resetFields: { 'f:struct': {} } });
    story.apply('one', { text: 'a', struct: { a: '1' } });
    expect(story.owners()).toEqual({ one: { 'f:text': {} } });
  });

  it('keeps appliers of a subresource apart', () => {
    const story = new Story(thingSchema)
      .apply('one', { text: 'a' })
      .apply('one', { number: 1 }, { subresource: 'status' });
    expect(story.owners()).toEqual({ one: { 'f:text': {} }, 'one/status': { 'f:number': {} } });
    expect(play(story, [{ by: 'two', apply: { number: 2 } }])?.message).toBe(
      'Apply failed with 1 conflict: conflict with "one" with subresource "status": .number',
    );
  });

  it('changes neither the live object nor the configuration', () => {
    const story = new Story(thingSchema).apply('one', { items: [item('a'), item('b')], map: { a: '1' } });
    deepFreeze(story.stored as object);
    story.apply('one', deepFreeze({ items: [item('c'), item('a', { value: '1' })] }));
    expect(story.content()).toEqual({ items: [item('c'), item('a', { value: '1' })] });
  });
});
