import type { ControllerRevision } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { planPruning, revisionData, templateOf } from './revision-history.js';

const revision = (number: number): ControllerRevision => ({ metadata: { name: `r${number}` }, revision: number });

describe('planPruning', () => {
  test.each([
    ['nothing within the limit', [1, 2], 2, [], []],
    ['the oldest beyond it', [3, 1, 2], 1, [], [1, 2]],
    ['nothing that is in use', [1, 2, 3], 1, [1], [2]],
    ['all that is idle with a limit of none', [1, 2], 0, [], [1, 2]],
  ])('takes %s', (_name, numbers, limit, live, expected) => {
    const pruned = planPruning(numbers.map(revision), { limit, isLive: (one) => live.includes(one.revision) });
    expect(pruned.map((one) => one.revision)).toEqual(expected);
  });
});

test('a revision returns the template that it was made from', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  expect(templateOf({ ...revision(1), data: revisionData(template) })).toEqual(template);
});

test('the data of a revision is what the JSON encoder of Go writes', () => {
  const spec = { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i', env: [{ value: 'v', name: 'n' }] }] };
  const template = { spec, metadata: { labels: { b: '1', B: '2', 'a.b/c': '3', a_b: '4' } } };
  expect(JSON.stringify(revisionData(template))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"B":"2","a.b/c":"3","a_b":"4","b":"1"}},"spec":{"containers":[{"env":[{"name":"n","value":"v"}],"image":"i","name":"c"}],"restartPolicy":"Always"}}}}',
  );
});
