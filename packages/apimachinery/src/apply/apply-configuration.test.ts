import { deepFreeze } from '@coracle/base';
import { describe, expect, it } from 'vitest';
import type { StatusError } from '../status-error.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

type Step =
  | { readonly apply: object; readonly by: string; readonly force?: boolean }
  | { readonly update: object; readonly by: string };

interface Case {
  readonly does: string;
  readonly steps: Step[];
  readonly gives?: object;
  readonly owners?: Record<string, object>;
  /** The fields of the conflict that the last step ends in. */
  readonly conflict?: string;
}

const item = (name: string, rest: object = {}) => ({ name, ...rest });
const owned = (name: string, fields: object = {}) => ({
  [`k:{"name":"${name}"}`]: { '.': {}, 'f:name': {}, ...fields },
});

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
    does: 'gives up a field with null, and owns that it is not there',
    steps: [
      { by: 'one', apply: { text: 'a' } },
      { by: 'one', apply: { text: null } },
    ],
    gives: {},
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

const containers: Case[] = [
  {
    does: 'owns the keys of a map',
    steps: [
      { by: 'one', apply: { map: { a: '1' } } },
      { by: 'two', apply: { map: { b: '2' } } },
    ],
    gives: { map: { a: '1', b: '2' } },
    owners: { one: { 'f:map': { 'f:a': {} } }, two: { 'f:map': { 'f:b': {} } } },
  },
  {
    does: 'conflicts in a key of a map',
    steps: [
      { by: 'one', apply: { map: { a: '1' } } },
      { by: 'two', apply: { map: { a: '2' } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .map.a',
  },
  {
    does: 'removes the key of a map that is given up',
    steps: [
      { by: 'one', apply: { map: { a: '1', b: '2' } } },
      { by: 'one', apply: { map: { b: '2' } } },
    ],
    gives: { map: { b: '2' } },
  },
  {
    does: 'removes a map that is given up',
    steps: [
      { by: 'one', apply: { text: 'a', map: { a: '1' } } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
  },
  {
    does: 'keeps in a map what others own',
    steps: [
      { by: 'one', apply: { text: 'a', map: { a: '1' } } },
      { by: 'two', apply: { map: { b: '2' } } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a', map: { b: '2' } },
  },
  {
    does: 'owns an empty map',
    steps: [{ by: 'one', apply: { map: {} } }],
    gives: { map: {} },
    owners: { one: { 'f:map': {} } },
  },
  {
    does: 'owns an atomic map as a whole',
    steps: [{ by: 'one', apply: { atomicMap: { a: '1' } } }],
    owners: { one: { 'f:atomicMap': {} } },
  },
  {
    does: 'replaces an atomic map',
    steps: [
      { by: 'one', apply: { atomicMap: { a: '1' } } },
      { by: 'one', apply: { atomicMap: { b: '2' } } },
    ],
    gives: { atomicMap: { b: '2' } },
  },
  {
    does: 'conflicts in an atomic map as a whole',
    steps: [
      { by: 'one', apply: { atomicMap: { a: '1' } } },
      { by: 'two', apply: { atomicMap: { b: '2' } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .atomicMap',
  },
  {
    does: 'owns an atomic struct as a whole',
    steps: [
      { by: 'one', apply: { atomicStruct: { a: '1' } } },
      { by: 'two', apply: { atomicStruct: { b: '2' } }, force: true },
    ],
    gives: { atomicStruct: { b: '2' } },
    owners: { two: { 'f:atomicStruct': {} } },
  },
  {
    does: 'owns the fields of a struct, not the struct',
    steps: [{ by: 'one', apply: { struct: { a: '1', inner: { x: '2' } } } }],
    owners: { one: { 'f:struct': { 'f:a': {}, 'f:inner': { 'f:x': {} } } } },
  },
  {
    does: 'merges structs of two managers',
    steps: [
      { by: 'one', apply: { struct: { inner: { x: '1' } } } },
      { by: 'two', apply: { struct: { inner: { y: '2' } } } },
    ],
    gives: { struct: { inner: { x: '1', y: '2' } } },
  },
  {
    does: 'takes with a struct what nobody owns in it',
    steps: [
      { by: 'one', apply: { text: 'a', struct: { a: '1' } } },
      { by: 'server', update: { text: 'a', struct: { a: '1', b: 'default' } } },
      { by: 'two', apply: { struct: { b: 'default' } }, force: true },
      { by: 'two', apply: {} },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a', struct: { b: 'default' } },
  },
  {
    does: 'deduces maps in free-form values',
    steps: [
      { by: 'one', apply: { free: { a: { b: 1 } } } },
      { by: 'two', apply: { free: { a: { c: 2 } } } },
    ],
    gives: { free: { a: { b: 1, c: 2 } } },
    owners: {
      one: { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } },
      two: { 'f:free': { 'f:a': { '.': {}, 'f:c': {} } } },
    },
  },
  {
    does: 'deduces atomic lists in free-form values',
    steps: [
      { by: 'one', apply: { free: { list: [{ name: 'a' }] } } },
      { by: 'two', apply: { free: { list: [{ name: 'b' }] } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .free.list',
  },
];

const lists: Case[] = [
  {
    does: 'owns an atomic list as a whole',
    steps: [
      { by: 'one', apply: { atomicList: ['a'] } },
      { by: 'two', apply: { atomicList: ['a', 'b'] } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .atomicList',
  },
  {
    does: 'replaces an atomic list',
    steps: [
      { by: 'one', apply: { atomicList: ['a', 'b'] } },
      { by: 'one', apply: { atomicList: ['c'] } },
    ],
    gives: { atomicList: ['c'] },
    owners: { one: { 'f:atomicList': {} } },
  },
  {
    does: 'joins sets of two managers',
    steps: [
      { by: 'one', apply: { set: ['a', 'b'] } },
      { by: 'two', apply: { set: ['b', 'c'] } },
    ],
    gives: { set: ['a', 'b', 'c'] },
    owners: { one: { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }, two: { 'f:set': { 'v:"b"': {}, 'v:"c"': {} } } },
  },
  {
    does: 'removes from a set what its only owner gives up',
    steps: [
      { by: 'one', apply: { set: ['a', 'b'] } },
      { by: 'two', apply: { set: ['b', 'c'] } },
      { by: 'one', apply: { set: [] } },
    ],
    gives: { set: ['b', 'c'] },
  },
  {
    does: 'owns finalizers by value',
    steps: [
      { by: 'one', apply: { metadata: { finalizers: ['x.io/a'] } } },
      { by: 'two', apply: { metadata: { finalizers: ['x.io/b'] } } },
      { by: 'one', apply: {} },
    ],
    gives: { metadata: { finalizers: ['x.io/b'] } },
    owners: { two: { 'f:metadata': { 'f:finalizers': { 'v:"x.io/b"': {} } } } },
  },
  {
    does: 'owns nothing of an empty list',
    steps: [{ by: 'one', apply: { text: 'a', items: [] } }],
    owners: { one: { 'f:text': {} } },
  },
  {
    does: 'owns items by their key',
    steps: [{ by: 'one', apply: { items: [item('a', { value: '1' })] } }],
    owners: { one: { 'f:items': owned('a', { 'f:value': {} }) } },
  },
  {
    does: 'joins items of two managers',
    steps: [
      { by: 'one', apply: { items: [item('a')] } },
      { by: 'two', apply: { items: [item('b')] } },
    ],
    gives: { items: [item('a'), item('b')] },
    owners: { one: { 'f:items': owned('a') }, two: { 'f:items': owned('b') } },
  },
  {
    does: 'joins fields in one item',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a', { labels: { x: 'y' } })] } },
    ],
    gives: { items: [item('a', { value: '1', labels: { x: 'y' } })] },
  },
  {
    does: 'conflicts in a field of an item',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a', { value: '2' })] } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .items[name="a"].value',
  },
  {
    does: 'removes an item that is given up',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b')] } },
      { by: 'one', apply: { items: [item('b')] } },
    ],
    gives: { items: [item('b')] },
  },
  {
    does: 'keeps an item that others own, too',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a')] } },
      { by: 'one', apply: {} },
    ],
    gives: { items: [item('a')] },
  },
  {
    does: 'removes the list with its last item',
    steps: [
      { by: 'one', apply: { text: 'a', items: [item('a')] } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
  },
  {
    does: 'keeps the order that is applied',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b'), item('c')] } },
      { by: 'one', apply: { items: [item('c'), item('a'), item('b')] } },
    ],
    gives: { items: [item('c'), item('a'), item('b')] },
  },
  {
    does: 'puts items of others before the next common one',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b'), item('c')] } },
      { by: 'two', apply: { items: [item('n'), item('c'), item('a')] } },
    ],
    gives: { items: [item('b'), item('n'), item('c'), item('a')] },
  },
  {
    does: 'fills a defaulted key',
    steps: [{ by: 'one', apply: { items: [item('a', { ports: [{ port: 80 }] })] } }],
    gives: { items: [item('a', { ports: [{ port: 80 }] })] },
    owners: {
      one: { 'f:items': owned('a', { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } }) },
    },
  },
  {
    does: 'takes an absent key for its default',
    steps: [
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 80, protocol: 'TCP' }] })] } },
      { by: 'two', apply: { items: [item('a', { ports: [{ port: 80, note: 'n' }] })] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 80, protocol: 'TCP', note: 'n' }] })] },
  },
  {
    does: 'tells items apart by all of their keys',
    steps: [
      {
        by: 'one',
        apply: {
          items: [
            item('a', {
              ports: [
                { port: 53, protocol: 'TCP' },
                { port: 53, protocol: 'UDP' },
              ],
            }),
          ],
        },
      },
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 53, protocol: 'UDP' }] })] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 53, protocol: 'UDP' }] })] },
  },
  {
    does: 'removes a nested item only',
    steps: [
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 80 }, { port: 90 }] })] } },
      { by: 'two', apply: { items: [item('a', { ports: [{ port: 90 }] })] } },
      { by: 'one', apply: { items: [item('a')] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 90 }] })] },
  },
  {
    does: 'replaces repeated items of the live list by the applied one',
    steps: [
      { by: 'one', update: { items: [item('a', { value: '1' }), item('a', { value: '2' })] } },
      { by: 'two', apply: { items: [item('a', { value: '3' })] }, force: true },
    ],
    gives: { items: [item('a', { value: '3' })] },
  },
  {
    does: 'owns repeated items as one whole',
    steps: [{ by: 'one', update: { items: [item('a', { value: '1' }), item('a', { value: '2' })] } }],
    owners: { 'one (Update)': { 'f:items': { '.': {}, 'k:{"name":"a"}': {} } } },
  },
  {
    does: 'loses an item to an updater that deletes it',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b')] } },
      { by: 'two', update: { items: [item('b')] } },
    ],
    owners: { one: { 'f:items': owned('b') } },
  },
  {
    does: 'leaves the items of an updater',
    steps: [
      { by: 'one', update: { items: [item('z')] } },
      { by: 'two', apply: { items: [item('a')] } },
      { by: 'two', apply: { items: [] } },
    ],
    gives: { items: [item('z')] },
  },
];

describe('applyConfiguration', () => {
  describe.each([
    ['leaves', leaves],
    ['maps and structs', containers],
    ['lists', lists],
  ])('%s', (_, cases) => {
    it.each(cases)('$does', ({ steps, gives, owners, conflict }) => {
      const story = new Story(thingSchema);
      const failure = play(story, steps);
      expect(failure?.message).toBe(conflict);
      if (gives) expect(story.content()).toEqual(gives);
      if (owners) expect(story.owners()).toEqual(owners);
    });
  });

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

  it('gives what was there before the first apply an owner of its own', () => {
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

  it('lets kubectl take over what its client-side apply wrote', () => {
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

  it('keeps the time of an apply that changes nothing, and renews it otherwise', () => {
    const story = new Story(thingSchema).apply('one', { text: 'a' });
    const times = () => story.stored?.metadata.managedFields?.map(({ time }) => time);
    expect(times()).toEqual(['2026-01-01T00:00:01Z']);
    story.apply('one', { text: 'a' });
    expect(times()).toEqual(['2026-01-01T00:00:01Z']);
    story.apply('one', { text: 'b' });
    expect(times()).toEqual(['2026-01-01T00:00:03Z']);
  });

  it('owns nothing of what the request cannot change', () => {
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

function play(story: Story, steps: readonly Step[]): StatusError | undefined {
  try {
    for (const step of steps) {
      if ('apply' in step) story.apply(step.by, step.apply, { force: step.force ?? false });
      else story.update(step.by, step.update);
    }
  } catch (error) {
    return error as StatusError;
  }
  return undefined;
}
