import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  leaves,
  type MutableFieldSet,
  pathsOf,
  recursiveDifference,
  sameSet,
  union,
} from './field-set.js';
import { parseFieldSet } from './managed-fields.js';
import { formatPath } from './path-element.js';

/** The set of these paths, each as its elements. */
function setOf(...paths: string[][]): FieldSet {
  const root: Record<string, unknown> = {};
  for (const path of paths) {
    let node = root;
    for (const element of path) node = (node[element] ??= {}) as Record<string, unknown>;
    node['.'] = {};
  }
  return parseFieldSet(root) as FieldSet;
}

const text = (set: FieldSet): string[] => pathsOf(set).map(formatPath);

describe('FieldSet', () => {
  const a = { 'f:spec': { 'f:replicas': {}, 'f:ports': { '.': {}, 'k:{"port":80}': { '.': {}, 'f:name': {} } } } };

  it('lists its paths, first those that end at a level', () => {
    expect(text({ 'f:a': { 'f:z': {} }, 'f:b': {}, 'f:c': { '.': {}, 'f:d': {} } })).toEqual([
      '.b',
      '.c',
      '.a.z',
      '.c.d',
    ]);
  });

  it('formats items by their keys, values and positions', () => {
    const set = { 'f:a': { 'k:{"n":"x","p":1}': {}, 'v:"y"': {}, 'v:3': {}, 'i:2': {} } };
    expect(text(set)).toEqual(['.a[n="x",p=1]', '.a[="y"]', '.a[=3]', '.a[2]']);
  });

  it('keeps children when the difference takes their parent', () => {
    expect(difference(a, { 'f:spec': { 'f:ports': {} } })).toEqual({
      'f:spec': { 'f:replicas': {}, 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} } } },
    });
  });

  it('takes children too in the recursive difference', () => {
    expect(recursiveDifference(a, { 'f:spec': { 'f:ports': {} } })).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('merges a leaf with the paths below it', () => {
    expect(union({ 'f:a': {} }, { 'f:a': { 'f:b': {} } })).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
  });

  it('has leaves', () => {
    expect(leaves(a)).toEqual({ 'f:spec': { 'f:replicas': {}, 'f:ports': { 'k:{"port":80}': { 'f:name': {} } } } });
  });

  it('orders fields before items, numbers by value, and puts the dot first', () => {
    const set = union(
      { 'f:l': { 'k:{"p":443}': {}, 'k:{"p":80}': {} } },
      { 'f:l': { '.': {}, 'k:{"p":8080}': {} }, 'f:a': {} },
    );
    expect(JSON.stringify(set)).toBe(
      '{"f:a":{},"f:l":{".":{},"k:{\\"p\\":80}":{},"k:{\\"p\\":443}":{},"k:{\\"p\\":8080}":{}}}',
    );
  });
});

describe('parseFieldSet', () => {
  it('returns a canonical set unchanged', () => {
    const set = { 'f:a': { '.': {}, 'k:{"name":"x"}': {} } };
    expect(parseFieldSet(set)).toBe(set);
  });

  it.each([
    ['a dot alone', { 'f:a': { '.': {} } }, { 'f:a': {} }],
    ['the order of elements', { 'f:b': {}, 'f:a': {} }, { 'f:a': {}, 'f:b': {} }],
    ['the order of keys', { 'k:{"b":1,"a":2}': {} }, { 'k:{"a":2,"b":1}': {} }],
    ['blanks in keys', { 'k:{"a": 2}': {} }, { 'k:{"a":2}': {} }],
  ])('normalises %s', (_, input, set) => {
    expect(JSON.stringify(parseFieldSet(input))).toBe(JSON.stringify(set));
  });

  it.each([
    [{ a: {} }],
    [{ 'x:a': {} }],
    [{ 'f:a': 1 }],
    [{ 'f:a': null }],
    [{ 'k:{bad': {} }],
    [{ 'k:[1]': {} }],
    [{ 'i:x': {} }],
    [{ '.': { 'f:a': {} } }],
    ['f:a'],
    [[]],
  ])('refuses %j', (input) => {
    expect(parseFieldSet(input)).toBeUndefined();
  });
});

describe('laws of field sets', () => {
  const holds = (law: (a: FieldSet, b: FieldSet, c: FieldSet) => void) =>
    fc.assert(
      fc.property(someSet, someSet, someSet, (a, b, c) => {
        law(a, b, c);
      }),
      { numRuns: 300 },
    );
  const same = (a: FieldSet, b: FieldSet): void => {
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
  };

  it('union is commutative, associative and idempotent', () =>
    holds((a, b, c) => {
      same(union(a, b), union(b, a));
      same(union(union(a, b), c), union(a, union(b, c)));
      same(union(a, a), a);
    }));

  it('intersection is commutative, associative and idempotent', () =>
    holds((a, b, c) => {
      same(intersection(a, b), intersection(b, a));
      same(intersection(intersection(a, b), c), intersection(a, intersection(b, c)));
      same(intersection(a, a), a);
    }));

  it('difference and intersection part a set', () =>
    holds((a, b) => {
      same(union(difference(a, b), intersection(a, b)), a);
      expect(isEmptySet(intersection(difference(a, b), b))).toBe(true);
    }));

  it('intersection distributes over union', () =>
    holds((a, b, c) => same(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)))));

  it('the empty set is neutral', () =>
    holds((a) => {
      same(union(a, emptySet), a);
      same(difference(a, emptySet), a);
      same(intersection(a, emptySet), emptySet);
    }));

  it('the recursive difference is part of the difference', () =>
    holds((a, b) => expect(isEmptySet(difference(recursiveDifference(a, b), difference(a, b)))).toBe(true)));

  it('leaves are part of the set, and a set without children is all leaves', () =>
    holds((a) => {
      expect(isEmptySet(difference(leaves(a), a))).toBe(true);
      same(leaves(leaves(a)), leaves(a));
    }));

  it('paths rebuild the set', () => holds((a) => same(setOf(...pathsOf(a)), a)));

  it('encoding and decoding are inverse', () =>
    holds((a, b) => {
      const decoded = parseFieldSet(JSON.parse(JSON.stringify(a))) as FieldSet;
      expect(sameSet(decoded, a)).toBe(true);
      expect(sameSet(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }));
});

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'f:B',
  'k:{"name":"x"}',
  'k:{"port":9}',
  'k:{"port":80}',
  'v:"a b"',
  'v:10',
  'v:9',
  'i:0',
);
const someSet: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => setOf(...paths) satisfies FieldSet as MutableFieldSet);
