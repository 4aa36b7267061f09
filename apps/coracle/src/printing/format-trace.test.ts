import { expect, test } from 'vitest';
import { formatTrace } from './format-trace.js';

test('steps are shown with the time since the first one, grouped by object', () => {
  const at = Date.UTC(2026, 0, 1);
  const chapters = [
    { subject: 'replicasets/default/web', steps: [{ name: 'controller.sync', at }] },
    {
      subject: 'pods/default/web',
      steps: [
        { name: 'apiserver.receive', at: at + 1 },
        { name: 'scheduler.place', at: at + 12, details: { node: 'a' } },
      ],
    },
  ];
  expect(formatTrace({ subject: 'pods/default/web', chapters })).toBe(
    [
      'pods/default/web, from 2026-01-01T00:00:00.000Z',
      'replicasets/default/web',
      '       0 ms  controller.sync',
      'pods/default/web',
      '       1 ms  apiserver.receive',
      '      12 ms  scheduler.place          node=a',
      '',
    ].join('\n'),
  );
});

test('an unknown pod is reported as such', () => {
  expect(formatTrace({ subject: 'pods/default/web', chapters: [] })).toMatch(/^pods\/default\/web: no steps are known/);
});
