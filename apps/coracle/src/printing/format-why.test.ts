import { expect, test } from 'vitest';
import { formatMissing, formatWhy } from './format-why.js';

const waiting = { pod: 'default/web', gates: [], attempts: [], suggestions: [] };

test('a pod that no simple change helps', () => {
  const refusals = [{ plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'] }];
  expect(formatWhy({ ...waiting, nodes: [{ node: 'a', refusals, scores: {}, total: 0 }] })).toBe(
    [
      'default/web is not scheduled',
      '',
      'Nodes:',
      '  a  NodeResourcesFit: Insufficient cpu',
      '',
      'No simple change was found that would let it run.',
      '',
    ].join('\n'),
  );
});

const refused = {
  involvedObject: { kind: 'ReplicaSet', name: 'web-5975ddb555' },
  reason: 'FailedCreate',
  message: 'pods "web-5975ddb555-x" is forbidden: exceeded quota',
};

test.each([
  ['its workload', 'default/web'],
  ['its controller', 'default/web-5975ddb555'],
  ['a pod of its controller', 'default/web-5975ddb555-abcde'],
])('a pod that could not be created, by the name of %s', (_, name) => {
  const others = [
    { ...refused, reason: 'SuccessfulCreate' },
    { ...refused, involvedObject: { kind: 'Job', name: 'other' } },
  ];
  const many = { ...refused, message: `(combined from similar events): ${refused.message}` };
  const earlier = { ...refused, message: 'pods "web-5975ddb555-y" is forbidden: exceeded quota' };
  expect(formatMissing(name, [earlier, many, ...others])).toBe(
    `${name} does not exist: its controller could not create it
  ReplicaSet web-5975ddb555: pods "web-5975ddb555-x" is forbidden: exceeded quota
`,
  );
  expect(formatMissing(name, others)).toBeUndefined();
});
