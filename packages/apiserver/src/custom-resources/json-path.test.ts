import { expect, test } from 'vitest';
import { parseJsonPath } from './json-path.js';

const object = {
  spec: { replicas: 3, 'a.b': 'dotted', list: [{ n: 1 }, { n: 2 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Done', status: 'False' },
    ],
  },
};

test.each<[string, unknown[]]>([
  ['.spec.replicas', [3]],
  ['.spec.nothing.at.all', []],
  ['.spec.toString', []],
  ["['spec'].replicas", [3]],
  [".spec['a.b']", ['dotted']],
  ['.spec.a\\.b', ['dotted']],
  ['.spec.list[1].n', [2]],
  ['.spec.list[-1].n', [2]],
  ['.spec.list[*].n', [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type == 'Done')].status", ['False']],
])('%s', (path, values) => {
  expect(parseJsonPath(path)?.(object)).toEqual(values);
});

test('a path that it cannot read is none', () => {
  expect(parseJsonPath('.spec[?(')).toBeUndefined();
});
