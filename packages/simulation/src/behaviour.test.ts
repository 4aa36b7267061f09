import { describe, expect, test } from 'vitest';
import { type BehaviourRequest, behaviourOf } from './behaviour.js';

const prefix = 'simulation.coracle.dev/';

function behaviour(behaviourAnnotations: Record<string, string>, more: Partial<BehaviourRequest> = {}) {
  const annotations = Object.fromEntries(
    Object.entries(behaviourAnnotations).map(([name, value]) => [prefix + name, value]),
  );
  return behaviourOf({ annotations, container: 'web', endsByDefault: false, ...more });
}

describe('behaviourOf', () => {
  test('a container without annotations runs at once and does not exit', () => {
    expect(behaviour({})).toMatchObject({
      pullDelayMs: 0,
      startDelayMs: 0,
      readyDelayMs: 0,
      exit: undefined,
      says: [],
    });
  });

  const exits = [
    { name: 'exit-code alone ends it at once', annotations: { 'exit-code': '3' }, exit: { afterMs: 0, code: 3 } },
    { name: 'exit-after alone ends it well', annotations: { 'exit-after': '2s' }, exit: { afterMs: 2_000, code: 0 } },
    { name: 'crash-after fails it', annotations: { 'crash-after': '1m' }, exit: { afterMs: 60_000, code: 1 } },
    {
      name: 'crash-after takes the exit code',
      annotations: { 'crash-after': '1s', 'exit-code': '9' },
      exit: { afterMs: 1_000, code: 9 },
    },
    {
      name: 'what is expected to end does',
      annotations: {},
      endsByDefault: true,
      exit: { afterMs: 0, code: 0 },
    },
    { name: 'a duration that is none counts as not said', annotations: { 'exit-after': 'soon' }, exit: undefined },
  ];
  test.each(exits)('$name', ({ annotations, exit, endsByDefault = false }) => {
    expect(behaviour(annotations as Record<string, string>, { endsByDefault }).exit).toEqual(exit);
  });

  test('annotations of the container take precedence over those of all containers', () => {
    const annotations = { 'start-delay': '1s', 'start-delay.web': '2s', 'start-delay.other': '3s' };
    expect(behaviour(annotations).startDelayMs).toBe(2_000);
    expect(behaviour(annotations, { container: 'third' }).startDelayMs).toBe(1_000);
  });

  test('logs replace the output of the command', () => {
    expect(behaviour({}).says).toEqual([]);
    expect(behaviour({ logs: 'ready' }).says).toEqual(['ready\n']);
  });
});
