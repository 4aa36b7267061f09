import { expect, test } from 'vitest';
import { dataOf } from './object-data.js';

test.each([
  [
    'text as it is',
    { kind: 'ConfigMap', data: { b: 'ü', a: '' } },
    [
      ['a', 0, ''],
      ['b', 2, 'ü'],
    ],
  ],
  ['decoded text', { kind: 'Secret', data: { key: btoa('open') } }, [['key', 4, 'open']]],
  ['no text', { kind: 'ConfigMap', binaryData: { z: btoa('\u0000\u0001') } }, [['z', 2, undefined]]],
  ['what is no UTF-8', { kind: 'Secret', data: { z: btoa('\u00ff\u00fe') } }, [['z', 2, undefined]]],
  ['nothing', { kind: 'Secret' }, []],
])('data: %s', (_, object, expected) => {
  expect(dataOf({ metadata: { name: 'x' }, ...object }).map(({ name, bytes, text }) => [name, bytes, text])).toEqual(
    expected,
  );
});
