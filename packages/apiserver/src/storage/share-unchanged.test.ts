import type { KubeObject } from '@coracle/apimachinery';
import { deepCopy, deepEqual, deepFreeze } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareUnchanged } from './share-unchanged.js';

const previous = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', labels: { app: 'x' }, annotations: { note: 'y' }, resourceVersion: '7' },
  spec: { containers: [{ name: 'c' }] },
  status: { phase: 'Pending' },
} as KubeObject & { spec: object; status: object };

describe('a successor', () => {
  test('with equal content shares everything but its metadata', () => {
    const object = deepCopy(previous);
    expect(shareUnchanged(object, previous)).toBe(true);
    expect([object.spec, object.status, object.metadata.labels]).toEqual([
      previous.spec,
      previous.status,
      previous.metadata.labels,
    ]);
    expect([object.spec === previous.spec, object.metadata === previous.metadata]).toEqual([true, false]);
  });

  test.each([
    { name: 'another status', change: { status: { phase: 'Running' } }, shared: ['spec', 'labels', 'annotations'] },
    { name: 'no status', change: { status: undefined }, shared: ['spec', 'labels', 'annotations'] },
    {
      name: 'another label',
      change: { metadata: { ...previous.metadata, labels: { app: 'z' } } },
      shared: ['spec', 'status', 'annotations'],
    },
    {
      name: 'another resourceVersion',
      change: { metadata: { ...previous.metadata, resourceVersion: '8' } },
      shared: ['spec', 'status', 'labels', 'annotations'],
    },
    {
      name: 'another spec',
      change: { spec: { containers: [{ name: 'c' }], nodeName: 'n' } },
      shared: ['status', 'labels', 'annotations', 'containers'],
    },
    { name: 'one field more', change: { more: {} }, shared: ['spec', 'status', 'labels', 'annotations'] },
  ])('with $name is different, and shares the rest', ({ change, shared }) => {
    const object = deepCopy({ ...previous, ...change }) as typeof previous;
    expect(shareUnchanged(object, previous)).toBe(false);
    const parts = (one: typeof previous): Record<string, unknown> => ({ ...one, ...one.metadata, ...one.spec });
    const same = ['spec', 'status', 'labels', 'annotations', 'containers'].filter(
      (part) => parts(object)[part] === parts(previous)[part],
    );
    expect(same).toEqual(shared.includes('spec') ? [...shared, 'containers'] : shared);
  });

  test('with other metadata in its spec is different', () => {
    const withTemplate = (app: string) => ({ ...previous, spec: { metadata: { labels: { app } } } });
    expect(shareUnchanged(deepCopy(withTemplate('x')), withTemplate('x'))).toBe(true);
    expect(shareUnchanged(deepCopy(withTemplate('y')), withTemplate('x'))).toBe(false);
  });

  test('keeps its value, for any value, and the previous version is unchanged', () => {
    const value = fc.jsonValue({ maxDepth: 2 }).filter((one) => one !== null);
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'metadata', 'constructor'), value, {
      noNullPrototype: true,
    });
    const object = fc.record(
      { metadata: fields, spec: fields, status: fields, data: value },
      { requiredKeys: ['metadata'] },
    );
    fc.assert(
      fc.property(object, object, (one, other) => {
        for (const [before, after] of [
          [one, other],
          [one, { ...one, status: other.status ?? {} }],
          [one, one],
        ]) {
          const previous = deepFreeze(deepCopy(before)) as KubeObject;
          const next = deepCopy(after) as KubeObject;
          expect(shareUnchanged(next, previous)).toBe(deepEqual(before, after));
          expect(next).toEqual(after);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
