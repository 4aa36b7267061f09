import type { KindRules } from '@coracle/api';
import { invalidField, type KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { SharedSpecs } from './spec-interner.js';

type Specified = KubeObject & { spec?: object };

const textOf = (name: string) => `{"kind":"Pod","metadata":{"name":"${name}"},"spec":{"a":{"b":1}}}`;
const podOf = (name: string, spec: object = { a: { b: 1 } }): Specified => ({ metadata: { name }, spec });

/** An interner that has read the same spec twice, and the spec that it recalls. */
function taught() {
  const specs = new SharedSpecs();
  for (const name of ['x', 'y']) specs.learn(textOf(name), podOf(name));
  return { specs, recalled: specs.recall(textOf('z'))?.spec };
}

describe('a spec that is sent again', () => {
  test('is recalled after the second time', () => {
    const specs = new SharedSpecs();
    specs.learn(textOf('x'), podOf('x'));
    expect(specs.recall(textOf('z'))).toBeUndefined();
    specs.learn(textOf('y'), podOf('y'));
    expect(specs.recall(textOf('z'))?.spec).toEqual({ a: { b: 1 } });
  });

  test('is copied before it is changed', () => {
    const { specs, recalled = {} } = taught();
    const pod = podOf('z', recalled);
    specs.makeOwn(pod);
    expect(pod.spec).toEqual(recalled);
    expect(pod.spec).not.toBe(recalled);
  });
});

test('an object keeps its own spec; one that shares it with its last version gets a copy', () => {
  const specs = new SharedSpecs();
  const spec = { a: 1 };
  const previous = podOf('x', spec);
  const pod = podOf('x', spec);
  specs.makeOwn(pod);
  expect(pod.spec).toBe(spec);
  specs.makeOwn(pod, previous);
  expect(pod.spec).toEqual(spec);
  expect(specs.areSame(pod, previous)).toBe(false);
});

test('an unchanged spec is shared, other fields are copied', () => {
  const specs = new SharedSpecs();
  const value = { a: 1 };
  expect(specs.takeOver('spec', value)).toBe(value);
  expect(specs.takeOver('status', value)).toEqual(value);
  expect(specs.takeOver('status', value)).not.toBe(value);
});

describe('verdicts', () => {
  /** Rules that count their calls and read annotations. */
  function countingRules(errors: number) {
    const calls = { validate: 0, warnings: 0 };
    const rules: KindRules<KubeObject> = {
      content: {
        validate: () => {
          calls.validate++;
          return Array.from({ length: errors }, () => invalidField('spec', '', 'bad'));
        },
        readsSame: ({ metadata }, other) => metadata.annotations?.['a'] === other.annotations?.['a'],
      },
      warnings: () => {
        calls.warnings++;
        return Array.from({ length: errors }, () => 'careful');
      },
    };
    return { calls, rules };
  }
  const spec = { a: 1 };
  const annotated = (name: string, a: string): Specified => ({ metadata: { name, annotations: { a } }, spec });
  const cases: readonly [string, number, readonly Specified[], number][] = [
    ['one spec is checked once', 0, [podOf('x', spec), podOf('y', spec)], 1],
    ['equal specs that are not the same are checked each', 0, [podOf('x'), podOf('y')], 2],
    ['other metadata that the rules read', 0, [annotated('x', '1'), annotated('x', '2')], 2],
    ['the same metadata', 0, [annotated('x', '1'), annotated('y', '1')], 1],
    ['a spec with errors is checked every time', 1, [podOf('x', spec), podOf('y', spec)], 2],
    ['objects without a spec are checked every time', 0, [{ metadata: {} }, { metadata: {} }], 2],
  ];
  test.each(cases)('%s', (_name, errors, objects, times) => {
    const specs = new SharedSpecs();
    const { calls, rules } = countingRules(errors);
    for (const object of objects) {
      expect(specs.contentErrors(object, rules)).toHaveLength(errors);
      expect(specs.warnings(object, rules)).toHaveLength(errors);
    }
    expect(calls).toEqual({ validate: times, warnings: times });
  });

  test('results are not cached for kinds without content rules', () => {
    const specs = new SharedSpecs();
    expect(specs.contentErrors(podOf('x'), {})).toBeUndefined();
    expect(specs.warnings(podOf('x'), {})).toEqual([]);
  });
});
