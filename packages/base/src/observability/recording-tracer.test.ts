import { expect, test } from 'vitest';
import { VirtualClock } from '../time/virtual-clock.js';
import { RecordingTracer } from './recording-tracer.js';

test('steps are kept by subject, in order and with their times', async () => {
  const clock = new VirtualClock({ startAt: 1_000 });
  const tracer = new RecordingTracer({ clock });
  tracer.step('create', 'pods/default/web');
  await clock.advance(5);
  tracer.step('bind', 'pods/default/web', { node: 'a' });
  tracer.step('create', 'pods/default/other');
  expect(tracer.stepsOf('pods/default/web')).toEqual([
    { name: 'create', at: 1_000, order: 0 },
    { name: 'bind', at: 1_005, order: 1, details: { node: 'a' } },
  ]);
});

test('the oldest steps are dropped, and the order stays', () => {
  const tracer = new RecordingTracer({ clock: new VirtualClock(), keepsSteps: 2_000 });
  for (let i = 0; i < 10_000; i++) tracer.step(`${i}`, i === 0 || i === 9_000 ? 'pods/default/a' : 'pods/default/b');
  expect(tracer.stepsOf('pods/default/a')).toMatchObject([{ name: '9000', order: 9_000 }]);
  expect(tracer.stepsOf('pods/default/b').length).toBeGreaterThanOrEqual(1_999);
  expect(tracer.stepsOf('pods/default/b').length).toBeLessThan(5_000);
});

test('subjects of other kinds are not kept', () => {
  const tracer = new RecordingTracer({ clock: new VirtualClock(), resources: ['pods'] });
  expect(['pods', 'leases'].map((resource) => tracer.follows(resource))).toEqual([true, false]);
  tracer.step('create', 'leases/kube-system/a');
  expect(tracer.stepsOf('leases/kube-system/a')).toEqual([]);
});

test('a step may be recorded later than it happened', () => {
  const tracer = new RecordingTracer({ clock: new VirtualClock({ startAt: 1_000 }) });
  tracer.step('receive', 'pods/default/web', undefined, 990);
  expect(tracer.stepsOf('pods/default/web')).toEqual([{ name: 'receive', at: 990, order: 0 }]);
});
