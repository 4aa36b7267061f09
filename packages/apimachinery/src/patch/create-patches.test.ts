import { schemaOf } from '@coracle/api';
import { deepFreeze } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createThreeWayJsonMergePatch,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  PatchConflict,
  PreconditionFailed,
} from './create-patches.js';
import { applyMergePatch } from './merge-patch.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

const schema = schemaOf('core-v1/Pod');
const containers = (...list: object[]) => ({ spec: { containers: list } });
const finalizers = (...list: string[]) => ({ metadata: { finalizers: list } });

const diffs: { does: string; original: object; modified: object; patch: object }[] = [
  {
    does: 'is empty for equal objects',
    original: containers({ name: 'a' }),
    modified: containers({ name: 'a' }),
    patch: {},
  },
  {
    does: 'sets what changed',
    original: { spec: { nodeName: 'a', hostIPC: true } },
    modified: { spec: { nodeName: 'b', hostIPC: true } },
    patch: { spec: { nodeName: 'b' } },
  },
  {
    does: 'removes what is gone',
    original: { metadata: { labels: { a: '1', b: '2' } } },
    modified: { metadata: { labels: { b: '2' } } },
    patch: { metadata: { labels: { a: null } } },
  },
  {
    does: 'names the order with a changed item',
    original: containers({ name: 'a', image: '1' }, { name: 'b' }),
    modified: containers({ name: 'a', image: '2' }, { name: 'b' }),
    patch: {
      spec: { containers: [{ image: '2', name: 'a' }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }] },
    },
  },
  {
    does: 'deletes an item',
    original: containers({ name: 'a' }, { name: 'b' }),
    modified: containers({ name: 'b' }),
    patch: { spec: { containers: [{ $patch: 'delete', name: 'a' }], '$setElementOrder/containers': [{ name: 'b' }] } },
  },
  {
    does: 'names just the order when that is all',
    original: containers({ name: 'a' }, { name: 'b' }),
    modified: containers({ name: 'b' }, { name: 'a' }),
    patch: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
  },
  {
    does: 'adds all items to an empty list',
    original: containers(),
    modified: containers({ name: 'a' }),
    patch: { spec: { containers: [{ name: 'a' }] } },
  },
  {
    does: 'adds to and deletes from sets',
    original: finalizers('a', 'b'),
    modified: finalizers('b', 'c'),
    patch: {
      metadata: {
        finalizers: ['c'],
        '$deleteFromPrimitiveList/finalizers': ['a'],
        '$setElementOrder/finalizers': ['b', 'c'],
      },
    },
  },
  {
    does: 'replaces atomic lists',
    original: { spec: { tolerations: [{ key: 'a' }] } },
    modified: { spec: { tolerations: [{ key: 'b' }] } },
    patch: { spec: { tolerations: [{ key: 'b' }] } },
  },
  {
    does: 'retains the keys of a union',
    original: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    modified: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    patch: {
      spec: {
        volumes: [{ $retainKeys: ['hostPath', 'name'], emptyDir: null, hostPath: { path: '/' }, name: 'v' }],
        '$setElementOrder/volumes': [{ name: 'v' }],
      },
    },
  },
];

describe('createTwoWayMergePatch', () => {
  it.each(diffs)('$does', ({ original, modified, patch }) => {
    const made = createTwoWayMergePatch(deepFreeze(original), deepFreeze(modified), schema);
    expect(made).toEqual(patch);
    expect(applyStrategicMergePatch(original, made, schema)).toEqual(modified);
  });

  it('is undone by applying it: apply(a, diff(a, b)) = b', () => {
    fc.assert(
      fc.property(somePod, somePod, (a, b) => {
        expect(applyStrategicMergePatch(a, createTwoWayMergePatch(a, b, schema), schema)).toEqual(b);
      }),
      { numRuns: 300 },
    );
  });
});

const threeWay: { does: string; original: object; modified: object; current: object; result: object }[] = [
  {
    does: 'sets what the configuration changed',
    original: { spec: { nodeName: 'a' } },
    modified: { spec: { nodeName: 'b' } },
    current: { spec: { nodeName: 'a', hostIPC: true } },
    result: { spec: { nodeName: 'b', hostIPC: true } },
  },
  {
    does: 'keeps what others set',
    original: {},
    modified: { metadata: { labels: { a: '1' } } },
    current: { metadata: { labels: { b: '2' } } },
    result: { metadata: { labels: { a: '1', b: '2' } } },
  },
  {
    does: 'removes what the configuration gave up',
    original: { metadata: { labels: { a: '1', b: '2' } } },
    modified: { metadata: { labels: { b: '2' } } },
    current: { metadata: { labels: { a: '1', b: '2', c: '3' } } },
    result: { metadata: { labels: { b: '2', c: '3' } } },
  },
  {
    does: 'puts back what others changed',
    original: { spec: { nodeName: 'a' } },
    modified: { spec: { nodeName: 'a' } },
    current: { spec: { nodeName: 'z' } },
    result: { spec: { nodeName: 'a' } },
  },
  {
    does: 'keeps items that others added',
    original: containers({ name: 'a', image: '1' }),
    modified: containers({ name: 'a', image: '2' }),
    current: containers({ name: 'a', image: '1' }, { name: 'sidecar' }),
    result: containers({ name: 'a', image: '2' }, { name: 'sidecar' }),
  },
  {
    does: 'deletes items that the configuration gave up',
    original: containers({ name: 'a' }, { name: 'b' }),
    modified: containers({ name: 'b' }),
    current: containers({ name: 'a' }, { name: 'b' }, { name: 'sidecar' }),
    result: containers({ name: 'b' }, { name: 'sidecar' }),
  },
  {
    does: 'deletes and adds items at once',
    original: containers({ name: 'a' }),
    modified: containers({ name: 'c' }),
    current: containers({ name: 'a' }),
    result: containers({ name: 'c' }),
  },
  {
    does: 'deletes from sets',
    original: finalizers('a', 'b'),
    modified: finalizers('b'),
    current: finalizers('a', 'b', 'x'),
    result: finalizers('b', 'x'),
  },
  {
    does: 'changes the kind of a volume',
    original: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    modified: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    current: { spec: { volumes: [{ name: 'v', emptyDir: { medium: '' } }] } },
    result: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
  },
  {
    does: 'changes a field in an item of a list in an item',
    original: containers({ name: 'a', env: [{ name: 'X', value: '1' }] }),
    modified: containers({ name: 'a', env: [{ name: 'Y', value: '2' }] }),
    current: containers({ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Z' }] }),
    result: containers({ name: 'a', env: [{ name: 'Y', value: '2' }, { name: 'Z' }] }),
  },
];

describe('createThreeWayMergePatch', () => {
  it.each(threeWay)('$does', ({ original, modified, current, result }) => {
    const patch = createThreeWayMergePatch(deepFreeze({ original, modified, current }), schema);
    expect(applyStrategicMergePatch(current, patch, schema)).toEqual(result);
  });

  it('is empty for equal objects', () => {
    const config = containers({ name: 'a', image: '1' });
    const current = containers({ name: 'a', image: '1', stdin: true }, { name: 'sidecar' });
    const patch = createThreeWayMergePatch(
      { original: config, modified: config, current: containers({ name: 'a', image: '1', stdin: true }) },
      schema,
    );
    expect(patch).toEqual({});
    expect(createThreeWayMergePatch({ original: current, modified: current, current }, schema)).toEqual({});
  });

  it('does not undo the changes of others without overwrite', () => {
    const input = {
      original: { spec: { nodeName: 'a' } },
      modified: { spec: { nodeName: 'b' } },
      current: { spec: { nodeName: 'z' } },
    };
    expect(() => createThreeWayMergePatch(input, schema, { overwrite: false })).toThrow(PatchConflict);
    expect(createThreeWayMergePatch(input, schema)).toEqual({ spec: { nodeName: 'b' } });
  });

  it('does not call it a conflict when others changed something else', () => {
    const input = {
      original: { spec: { nodeName: 'a' } },
      modified: { spec: { nodeName: 'b' } },
      current: { spec: { nodeName: 'a', hostIPC: true } },
    };
    expect(createThreeWayMergePatch(input, schema, { overwrite: false })).toEqual({ spec: { nodeName: 'b' } });
  });

  it('finds conflicts inside items of lists', () => {
    const image = (tag: string) => containers({ name: 'a', image: tag });
    const input = { original: image('1'), modified: image('2'), current: image('3') };
    expect(() => createThreeWayMergePatch(input, schema, { overwrite: false })).toThrow('conflicts with changes made');
  });

  it('refuses to touch what must not change', () => {
    const input = { original: {}, modified: { metadata: { name: 'b' } }, current: { metadata: { name: 'a' } } };
    const options = { unchanged: ['apiVersion', 'kind', 'metadata.name'] };
    expect(() => createThreeWayMergePatch(input, schema, options)).toThrow(PreconditionFailed);
  });
});

describe('createThreeWayJsonMergePatch', () => {
  it('sets, removes and keeps, with lists as wholes', () => {
    const original = { spec: { a: 1, b: 2, list: [1] } };
    const modified = { spec: { a: 5, list: [1, 2] } };
    const current = { spec: { a: 1, b: 2, c: 3, list: [1, 9] } };
    const patch = createThreeWayJsonMergePatch({ original, modified, current });
    expect(patch).toEqual({ spec: { a: 5, b: null, list: [1, 2] } });
    expect(applyMergePatch(current, patch)).toEqual({ spec: { a: 5, c: 3, list: [1, 2] } });
  });

  it('keeps an empty object that is a value', () => {
    const patch = createThreeWayJsonMergePatch({
      original: {},
      modified: { spec: { empty: {} } },
      current: { spec: {} },
    });
    expect(patch).toEqual({ spec: { empty: {} } });
  });

  it('leaves no empty object where only others have something', () => {
    const config = { spec: { a: 1 } };
    expect(
      createThreeWayJsonMergePatch({ original: config, modified: config, current: { spec: { a: 1, b: { c: 1 } } } }),
    ).toEqual({});
  });

  it('refuses to touch what must not change', () => {
    const input = { original: {}, modified: { kind: 'B' }, current: { kind: 'A' } };
    expect(() => createThreeWayJsonMergePatch(input, { unchanged: ['kind'] })).toThrow('precondition failed');
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const byName = <T>(item: fc.Arbitrary<T & { name: string }>) =>
  fc.uniqueArray(item, { selector: (value) => value.name, maxLength: 4 });
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T) => fc.record(model, { requiredKeys: [] });
const env = fc.record({ name, value: fc.string({ maxLength: 2 }) });
const container = fc.record(
  {
    name,
    image: name,
    args: fc.array(name, { maxLength: 2 }),
    env: byName(env),
    resources: optional({ limits: fc.dictionary(name, name) }),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.oneof(
  fc.record({ name, emptyDir: fc.constant({}) }),
  fc.record({ name, hostPath: fc.record({ path: name }) }),
);
const somePod = optional({
  metadata: optional({
    labels: fc.dictionary(name, name, { noNullPrototype: true }),
    finalizers: fc.uniqueArray(name),
  }),
  spec: optional({ nodeName: name, containers: byName(container), volumes: byName(volume) }),
});
