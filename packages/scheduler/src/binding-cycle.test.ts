import { silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { bindPod, WaitingPods } from './binding-cycle.js';
import { makePodInfo } from './builders.fixture.js';
import { CycleState } from './framework/cycle-state.js';
import type {
  BindPlugin,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PreBindPlugin,
  ReservePlugin,
} from './framework/plugin.js';
import { makeProfile } from './framework/profile.fixture.js';
import { fits, unschedulable } from './framework/verdict.js';
import { prioritySort } from './plugins/priority-sort.js';

const pod = makePodInfo('p');

/** Plugins that record their calls. */
function setUp(...plugins: ((log: string[]) => Plugin)[]) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const waiting = new WaitingPods(clock);
  const made = plugins.map((plugin) => plugin(log));
  const profile = makeProfile([prioritySort, ...made].map((plugin) => ({ plugin })));
  const nominate = async () => void log.push('nominate');
  const common = { extenders: [], logger: silentLogger, nominate };
  const outcome = (more: Partial<Parameters<typeof bindPod>[0]> = {}) =>
    bindPod({ profile, state: new CycleState([]), pod, node: 'a', waiting, ...common, ...more });
  return { clock, log, waiting, outcome };
}

const reserve =
  (name: string, verdict = fits) =>
  (log: string[]): ReservePlugin => ({
    name,
    reserve: () => {
      log.push(`reserve ${name}`);
      return verdict;
    },
    unreserve: () => void log.push(`unreserve ${name}`),
  });
const permit =
  (name: string, answer: ReturnType<PermitPlugin['permit']>) =>
  (log: string[]): PermitPlugin => ({
    name,
    permit: () => {
      log.push(`permit ${name}`);
      return answer;
    },
  });
const preBind =
  (name: string, { error, hasWork }: { readonly error?: Error; readonly hasWork?: boolean } = {}) =>
  (log: string[]): PreBindPlugin => ({
    name,
    ...(hasWork !== undefined && { hasPreBindWork: () => hasWork }),
    preBind: async () => {
      log.push(`preBind ${name}`);
      if (error) throw error;
    },
  });
const bind =
  (name: string, answer: 'bound' | 'skip' | Error) =>
  (log: string[]): BindPlugin => ({
    name,
    bind: async () => {
      log.push(`bind ${name}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
const postBind =
  (name: string) =>
  (log: string[]): PostBindPlugin => ({ name, postBind: () => void log.push(`postBind ${name}`) });
const wait = (seconds: number) => ({ kind: 'wait', timeoutMs: seconds * 1_000 }) as const;
const allow = { kind: 'allow' } as const;

describe('SCH-65 the steps of binding', () => {
  test('reserve, permit, pre-bind, bind, post-bind', async () => {
    const { log, outcome } = setUp(postBind('e'), bind('d', 'bound'), preBind('c'), permit('b', allow), reserve('a'));

    expect(await outcome()).toEqual({ kind: 'bound' });
    expect(log).toEqual(['reserve a', 'permit b', 'nominate', 'preBind c', 'bind d', 'postBind e']);
  });

  test.each([
    ['nothing has to be done or waited for', [permit('b', allow), preBind('c', { hasWork: false })], []],
    [
      'something has to be done before',
      [preBind('b', { hasWork: false }), preBind('c', { hasWork: true })],
      ['nominate'],
    ],
    ['a plugin that does not say so may have something to do', [preBind('c')], ['nominate']],
  ])('the pod is nominated for the node it goes to: %s', async (_, plugins, nominated) => {
    const { log, outcome } = setUp(...plugins, bind('d', 'bound'));
    await outcome();

    expect(log.filter((line) => line === 'nominate')).toEqual(nominated);
  });

  test('SCH-52 the first plugin that binds is the last that is called', async () => {
    const { log, outcome } = setUp(bind('a', 'skip'), bind('b', 'bound'), bind('c', 'bound'));
    await outcome();

    expect(log).toEqual(['bind a', 'bind b']);
  });
});

describe('SCH-54 reservations are released in reverse order', () => {
  const cases = [
    {
      name: 'when a reservation is refused (SCH-63)',
      plugins: [reserve('a'), reserve('b', unschedulable('full'))],
      outcome: { kind: 'refused', plugin: 'b', reasons: ['full'] },
    },
    {
      name: 'when a plugin does not permit it (SCH-66)',
      plugins: [reserve('a'), reserve('b'), permit('c', { kind: 'reject', reason: 'no' })],
      outcome: { kind: 'refused', plugin: 'c', reasons: ['no'] },
    },
    {
      name: 'when something before binding fails (SCH-68)',
      plugins: [reserve('a'), reserve('b'), preBind('c', { error: new Error('broken') }), bind('d', 'bound')],
      outcome: { kind: 'failed', error: new Error('running PreBind plugin "c": broken') },
    },
    {
      name: 'when binding fails (SCH-69)',
      plugins: [reserve('a'), reserve('b'), bind('DefaultBinder', new Error('taken'))],
      outcome: { kind: 'failed', error: new Error('running Bind plugin "DefaultBinder": taken') },
    },
  ];

  test.each(cases)('$name', async ({ plugins, outcome }) => {
    const run = setUp(...plugins, postBind('never'));

    expect(await run.outcome()).toEqual(outcome);
    expect(run.log.slice(-2)).toEqual(['unreserve b', 'unreserve a']);
  });
});

describe('SCH-50 waiting for permission', () => {
  test('ends when every plugin that returned Wait has allowed it', async () => {
    const { log, waiting, outcome, clock } = setUp(permit('a', wait(60)), permit('b', wait(60)), bind('c', 'bound'));
    const result = outcome();
    await clock.settle();
    expect(log).toEqual(['permit a', 'permit b', 'nominate']);

    waiting.allow('p', 'b');
    await clock.settle();
    expect(log).toHaveLength(3);
    waiting.allow('p', 'a');
    expect(await result).toEqual({ kind: 'bound' });
    expect({ timers: clock.pending, waits: waiting.has('p') }).toEqual({ timers: 0, waits: false });
  });

  test('counts what is allowed while the pod is being nominated', async () => {
    const { waiting, outcome } = setUp(permit('a', wait(60)), bind('c', 'bound'));
    const nominate = async () => waiting.allow('p', 'a');

    expect(await outcome({ nominate })).toEqual({ kind: 'bound' });
  });

  test('ends with a refusal when the shortest time is over', async () => {
    const { clock, outcome } = setUp(permit('a', wait(90)), permit('b', wait(15)));
    const result = outcome();
    await clock.advance(15_000);

    expect(await result).toEqual({
      kind: 'refused',
      plugin: 'b',
      reasons: ['rejected due to timeout after waiting 15s at plugin b'],
    });
    expect(clock.pending).toBe(0);
  });

  test('lasts a quarter of an hour at most', async () => {
    const { clock, outcome } = setUp(permit('a', wait(7_200)));
    const result = outcome();
    await clock.advance(15 * 60_000);

    expect(await result).toMatchObject({ reasons: ['rejected due to timeout after waiting 15m0s at plugin a'] });
  });

  test('ends when the pod is rejected from outside', async () => {
    const { clock, waiting, outcome } = setUp(permit('a', wait(60)));
    const result = outcome();
    await clock.settle();
    waiting.reject('p', 'preempted');

    expect(await result).toEqual({ kind: 'refused', plugin: 'a', reasons: ['preempted'] });
  });

  test('a rejection by a later plugin ends all waiting', async () => {
    const { outcome } = setUp(permit('a', wait(60)), permit('b', { kind: 'reject', reason: 'no' }));

    expect(await outcome()).toMatchObject({ plugin: 'b', reasons: ['no'] });
  });
});
