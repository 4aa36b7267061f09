import { expect, test } from 'vitest';
import { formatTrace } from './format-trace.js';

test('steps are shown with the time since the first one', () => {
  const at = Date.UTC(2026, 0, 1);
  const steps = [
    { name: 'apiserver.create', at },
    { name: 'scheduler.bind', at: at + 12, details: { node: 'a' } },
  ];
  expect(formatTrace({ subject: 'pods/default/web', steps })).toBe(
    [
      'pods/default/web, from 2026-01-01T00:00:00.000Z',
      '       0 ms  apiserver.create',
      '      12 ms  scheduler.bind           node=a',
      '',
    ].join('\n'),
  );
});

test('a pod that nothing is known of is told as such', () => {
  expect(formatTrace({ subject: 'pods/default/web', steps: [] })).toMatch(/^pods\/default\/web: no steps are known/);
});
