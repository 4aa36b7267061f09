import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';

const runtimeClass = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'runc' };

test.each<[string, Changes, string[]]>([
  [
    'a handler is a label',
    { handler: 'Run' },
    [
      'handler: Invalid value: "Run": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'overhead is of what containers use',
    { overhead: { podFixed: { storage: '1' } } },
    ['overhead.limits[storage]: Invalid value: "storage": must be a standard resource for containers'],
  ],
  [
    'tolerations differ',
    {
      scheduling: {
        tolerations: [
          { key: 'x', operator: 'Exists' },
          { key: 'x', operator: 'Exists' },
        ],
      },
    },
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"x","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(runtimeClass, changes)).toEqual(want);
});

test('pods run by the handler, so it stays', () => {
  expect(problemsOnUpdate(runtimeClass, { handler: 'kata' })).toEqual([
    'handler: Invalid value: "kata": field is immutable',
  ]);
});
