import { expect, test } from 'vitest';
import { RecordingTracer } from './recording-tracer.js';
import { VirtualClock } from './virtual-clock.js';

test('steps are kept by subject, in order and with their times', async () => {
  const clock = new VirtualClock({ startAt: 1_000 });
  const tracer = new RecordingTracer({ clock });
  tracer.step('create', 'pods/default/web');
  await clock.advance(5);
  tracer.step('bind', 'pods/default/web', { node: 'a' });
  tracer.step('create', 'pods/default/other');
  expect(tracer.stepsOf('pods/default/web')).toEqual([
    { name: 'create', at: 1_000 },
    { name: 'bind', at: 1_005, details: { node: 'a' } },
  ]);
});

test('the subject that was met first makes way, and long stories are cut', () => {
  const tracer = new RecordingTracer({ clock: new VirtualClock(), maxSubjects: 2, maxSteps: 2 });
  for (const subject of ['a', 'b', 'c']) for (const name of ['1', '2', '3']) tracer.step(name, subject);
  expect(['a', 'b', 'c'].map((subject) => tracer.stepsOf(subject).map(({ name }) => name))).toEqual([
    [],
    ['1', '2'],
    ['1', '2'],
  ]);
});

test('subjects of other kinds are not kept', () => {
  const tracer = new RecordingTracer({ clock: new VirtualClock(), prefix: 'pods/' });
  tracer.step('create', 'leases/kube-system/a');
  expect(tracer.stepsOf('leases/kube-system/a')).toEqual([]);
});
