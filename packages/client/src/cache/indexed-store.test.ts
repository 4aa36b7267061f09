import type { KubeObject } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IndexedStore } from './indexed-store.js';

const byUser = (object: KubeObject) => (object.metadata.annotations?.['users'] ?? '').split(',').filter(Boolean);
const object = (name: string, users: string, namespace?: string): KubeObject => ({
  metadata: { name, annotations: { users }, ...(namespace && { namespace }) },
});
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();

describe('IndexedStore', () => {
  function filled(): IndexedStore<KubeObject> {
    const store = new IndexedStore<KubeObject>();
    store.addIndex('byUser', byUser);
    for (const [name, users] of [
      ['one', 'ernie,bert'],
      ['two', 'bert,oscar'],
      ['tre', 'ernie,elmo'],
    ] as const)
      store.put(object(name, users));
    return store;
  }

  test('IX-10 finds objects by any value of an index', () => {
    const store = filled();
    expect({
      sharing: names(store.sharing('byUser', object('one', 'ernie,bert'))),
      keys: [...store.keysByIndex('byUser', 'bert')].sort(),
      objects: names(store.byIndex('byUser', 'ernie')),
      values: [...store.indexValues('byUser')].sort(),
    }).toEqual({
      sharing: ['one', 'tre', 'two'],
      keys: ['one', 'two'],
      objects: ['one', 'tre'],
      values: ['bert', 'elmo', 'ernie', 'oscar'],
    });
  });

  test('IX-6 moves an object when its values change, and drops it with its deletion', () => {
    const store = filled();
    store.put(object('one', 'grover'));
    store.delete('two');
    expect([...store.indexValues('byUser')].sort()).toEqual(['elmo', 'ernie', 'grover']);
  });

  test('IX-9 lists by namespace', () => {
    const store = new IndexedStore<KubeObject>();
    store.put(object('a', '', 'x'));
    store.put(object('b', '', 'y'));
    expect({ x: names(store.list('x')), all: names(store.list()), none: store.list('z') }).toEqual({
      x: ['a'],
      all: ['a', 'b'],
      none: [],
    });
  });

  test('IX-12 an unknown index is an error', () => {
    expect(() => filled().byIndex('byColour', 'red')).toThrow('index with name byColour does not exist');
  });

  test('IX-11 one name has one function; adding the same function again has no effect', () => {
    const store = filled();
    store.addIndex('byUser', byUser);
    expect(() => store.addIndex('byUser', () => [])).toThrow('another function');
  });

  test('an index that is added later has all objects', () => {
    const store = filled();
    store.addIndex('byInitial', ({ metadata }) => [metadata.name?.[0] ?? '']);
    expect(names(store.byIndex('byInitial', 't'))).toEqual(['tre', 'two']);
  });

  test('an index always equals a search of all objects', () => {
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      user: fc.constantFrom('x', 'y', 'x,y'),
      put: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const store = new IndexedStore<KubeObject>();
        store.addIndex('byUser', byUser);
        for (const { name, user, put } of changes) {
          if (put) store.put(object(name, user));
          else store.delete(name);
          for (const value of ['x', 'y'])
            expect(names(store.byIndex('byUser', value))).toEqual(
              names(store.list().filter((one) => byUser(one).includes(value))),
            );
        }
      }),
    );
  });
});
