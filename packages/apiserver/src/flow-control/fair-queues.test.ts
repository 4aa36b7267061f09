import { type Clock, nextPoll, VirtualClock } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeBorrowing, computeLimits, smoothDemand } from './compute-limits.js';
import { FairQueues, type QueuedRequest, type Rejection } from './fair-queues.js';
import { dealHand } from './shuffle-shard.js';
import { TurnBudget } from './turn-budget.js';

const work = (initialSeats = 1, finalSeats = 0, extraMs = 0) => ({ initialSeats, finalSeats, extraMs });
const queuing = { queues: 16, handSize: 4, queueLengthLimit: 50 };

function level(seats: number, settings: Partial<typeof queuing> | 'reject' = {}) {
  const clock = new VirtualClock();
  const queues = new FairQueues(
    { seats, queuing: settings === 'reject' ? undefined : { ...queuing, ...settings } },
    { clock, waitLimitMs: 15_000 },
  );
  const started: QueuedRequest[] = [];
  const send = (flow: string, seatsWanted = work(), signal?: AbortSignal) => {
    const request: QueuedRequest = { flow, work: seatsWanted, ...(signal && { signal: () => signal }) };
    const outcome = queues.admit(request);
    const settle = (rejection: Rejection | undefined) => {
      if (rejection === undefined) started.push(request);
      return rejection;
    };
    return { request, outcome: outcome instanceof Promise ? outcome.then(settle) : settle(outcome) };
  };
  return { clock, queues, started, send };
}

function sharedTurn(clock: Clock): TurnBudget {
  const turn = new TurnBudget(clock);
  turn.seen('greedy');
  turn.enter();
  turn.seen('other');
  return turn;
}

describe('shuffle sharding', () => {
  test('deals distinct queues, and always the same ones to a flow', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 8 }), (flow, deck, hand) => {
        const size = Math.min(deck, hand);
        const dealt = dealHand(flow, deck, size);
        expect(new Set(dealt).size).toBe(size);
        expect(dealt.every((queue) => queue >= 0 && queue < deck)).toBe(true);
        expect(dealHand(flow, deck, size)).toEqual(dealt);
      }),
    );
  });

  test('spreads flows over all queues', () => {
    const used = new Array<number>(64).fill(0);
    for (let i = 0; i < 6_400; i++)
      for (const queue of dealHand(`user-${i}`, 64, 6)) used[queue] = (used[queue] ?? 0) + 1;
    expect(Math.min(...used)).toBeGreaterThan(450);
    expect(Math.max(...used)).toBeLessThan(750);
  });
});

describe('fair queues', () => {
  test('large requests never take the last seats', async () => {
    const { send, started } = level(49, { queues: 64 });
    for (let i = 0; i < 20; i++) send('greedy', work(7));
    expect(started.length).toBe(6);
    for (let i = 0; i < 7; i++) expect(await send(`other-${i}`).outcome).toBeUndefined();
    expect(started.length).toBe(13);
  });

  test('serve a small request while large ones of a greedy flow hold most seats and wait for more', async () => {
    const { send, started, clock, queues } = level(49);
    for (let i = 0; i < 100; i++) send('greedy', work(10));
    expect(started.length).toBe(4);
    await clock.advance(5_000);
    const other = send('other');
    expect(await other.outcome).toBeUndefined();
    expect([queues.executing, started.at(-1)?.flow]).toEqual([5, 'other']);
  });

  test('a flow with small requests leaves seats to flows that have none running', async () => {
    const { send, started, queues } = level(49, { queues: 64 });
    for (let i = 0; i < 100; i++) send('greedy');
    expect([started.length, queues.waiting]).toEqual([45, 55]);
    expect(await send('other').outcome).toBeUndefined();
    expect(started.at(-1)?.flow).toBe('other');
    const second = send('other');
    expect(await second.outcome).toBeUndefined();
    expect(started.at(-1)).toBe(second.request);
    expect(queues.waiting).toBe(55);
  });

  test('release few waiting requests in one turn of the event loop, and a flow without a running one beside them', async () => {
    const clock = new VirtualClock();
    const turn = sharedTurn(clock);
    const queues = new FairQueues(
      { seats: 40, queuing: { ...queuing, queues: 64 } },
      { clock, waitLimitMs: 15_000, turn },
    );
    const requests = Array.from({ length: 100 }, (): QueuedRequest => ({ flow: 'greedy', work: work() }));
    for (const request of requests) void queues.admit(request);
    expect([queues.executing, queues.waiting]).toEqual([36, 64]);
    await nextPoll();
    for (const request of requests.slice(0, 36)) queues.finish(request);
    const released = queues.executing;
    expect(released).toBeGreaterThan(0);
    expect(released).toBeLessThanOrEqual(8);
    expect(await queues.admit({ flow: 'other', work: work() })).toBeUndefined();
    while (queues.executing < 36) {
      const before = queues.executing;
      await nextPoll();
      expect(queues.executing - before).toBeLessThanOrEqual(8);
    }
    expect(queues.waiting).toBeLessThan(64);
  });

  test('the length of a turn is the time on the clock without socket events', async () => {
    const virtual = new VirtualClock();
    const polls: (() => void)[] = [];
    const clock: Clock = {
      now: () => virtual.now(),
      schedule: (delayMs, task) => virtual.schedule(delayMs, task),
      nextPoll: () => new Promise((resolve) => polls.push(resolve)),
    };
    const turn = sharedTurn(clock);
    const sent: number[] = [];
    for (let i = 0; i < 4; i++) void Promise.resolve(turn.answer()).then(() => sent.push(i));
    for (let turns = 0; turns < 5; turns++) await nextPoll();
    expect(sent).toEqual([0]);
    polls.shift()?.();
    for (let turns = 0; turns < 5; turns++) await nextPoll();
    expect([sent, polls.length]).toEqual([[0, 1], 1]);
  });

  test('one flow is answered once per turn of the event loop, in order; a single request does not wait', async () => {
    const clock = new VirtualClock();
    const turn = sharedTurn(clock);
    const queues = new FairQueues(
      { seats: 40, queuing: { ...queuing, queues: 1, handSize: 1 } },
      { clock, waitLimitMs: 15_000, turn },
    );
    const requests = Array.from({ length: 10 }, (): QueuedRequest => ({ flow: 'greedy', work: work() }));
    for (const request of requests) expect(queues.admit(request)).toBeUndefined();
    const sent: number[] = [];
    for (const [index, request] of requests.entries())
      void Promise.resolve(queues.answer(request)).then(() => {
        sent.push(index);
        queues.finish(request);
      });
    let turns = 0;
    for (; sent.length < requests.length; turns++) await nextPoll();
    expect(sent).toEqual(requests.map((_, index) => index));
    expect(turns).toBeGreaterThanOrEqual(8);
    const alone: QueuedRequest = { flow: 'other', work: work() };
    expect(queues.admit(alone)).toBeUndefined();
    expect(queues.answer(alone)).toBeUndefined();
  });

  test('a user whose requests compete with no other does not wait, and does once another starts', async () => {
    const clock = new VirtualClock();
    const turn = new TurnBudget(clock);
    turn.seen('before');
    turn.enter();
    turn.leave();
    turn.seen('greedy');
    turn.enter();
    for (let i = 0; i < 20; i++) expect([turn.release(), turn.answer()]).toEqual([true, undefined]);
    turn.seen('other');
    const answers = [turn.answer(), turn.answer()];
    expect(answers).toEqual([undefined, expect.any(Promise)]);
    await clock.advance(2_000);
    await answers[1];
    expect([turn.release(), turn.answer()]).toEqual([true, undefined]);
  });

  test('run what fits at once and give released seats to waiting requests', async () => {
    const { send, started, queues } = level(2);
    const [first, , third] = [send('a'), send('b'), send('c')];
    expect(started.length).toBe(2);
    queues.finish(first.request);
    expect(await third.outcome).toBeUndefined();
    expect([started.length, queues.executing, queues.waiting, queues.seatsInUse]).toEqual([3, 2, 0, 2]);
  });

  test('serve a flow with one request soon, however many another has', async () => {
    const { clock, send, started, queues } = level(1);
    for (let i = 0; i < 100; i++) send('greedy');
    const late = send('modest');
    for (let served = 0; !started.includes(late.request); served++) {
      expect(served).toBeLessThan(8);
      const running = started.at(-1) as QueuedRequest;
      await clock.advance(5);
      queues.finish(running);
      await Promise.resolve();
    }
  });

  test('share seats evenly among flows with queued requests', async () => {
    const { clock, send, started, queues } = level(4, { queues: 64, handSize: 2 });
    const flows = ['a', 'b', 'c', 'd'];
    for (let i = 0; i < 50; i++) for (const flow of flows) send(flow);
    for (let i = 0; i < 25; i++) {
      await clock.advance(10);
      for (const running of started.slice(-4)) queues.finish(running);
      await Promise.resolve();
    }
    const counts = flows.map((flow) => started.filter((request) => request.flow === flow).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(6);
  });

  test('a request counts by its seats', async () => {
    const { clock, send, started, queues } = level(4, { queues: 64, handSize: 1 });
    for (let i = 0; i < 40; i++) send('heavy', work(4));
    for (let i = 0; i < 40; i++) send('light', work(1));
    const seats = { heavy: 0, light: 0 };
    for (let i = 0; i < 24; i++) {
      await clock.advance(10);
      for (const running of started.splice(0)) {
        seats[running.flow as keyof typeof seats] += running.work.initialSeats;
        queues.finish(running);
      }
      await Promise.resolve();
    }
    expect(seats.heavy / seats.light).toBeGreaterThan(0.5);
    expect(seats.heavy / seats.light).toBeLessThan(2);
  });

  test.each([
    ['a full queue', { queues: 1, handSize: 1, queueLengthLimit: 1 } as const, 'queue-full'],
    ['a level without queues', 'reject' as const, 'concurrency-limit'],
  ])('%s rejects', (_name, settings, reason) => {
    const { send } = level(1, settings);
    send('a');
    if (settings !== 'reject') send('a');
    expect(send('a').outcome).toBe(reason);
  });

  test('a request that waits too long, or whose client has disconnected, is rejected and releases its seats', async () => {
    const { clock, send, queues } = level(1);
    const client = new AbortController();
    const running = send('a');
    const [patient, gone] = [send('b'), send('c', work(), client.signal)];
    client.abort();
    expect(await gone.outcome).toBe('cancelled');
    await clock.advance(15_000);
    expect(await patient.outcome).toBe('time-out');
    queues.finish(running.request);
    expect([queues.waiting, queues.executing, queues.seatsInUse, clock.pending]).toEqual([0, 0, 0, 0]);
  });

  test('a client that has disconnected before does not wait', () => {
    const { clock, send } = level(1);
    send('a');
    const before = clock.pending;
    expect(send('b', work(), AbortSignal.abort()).outcome).toBe('cancelled');
    expect(clock.pending).toBe(before);
  });

  test('a write holds its seats a while longer for its watchers', async () => {
    const { clock, send, queues } = level(10);
    const write = send('a', work(1, 4, 25));
    queues.finish(write.request);
    expect([queues.executing, queues.seatsInUse]).toEqual([0, 4]);
    await clock.advance(25);
    expect(queues.seatsInUse).toBe(0);
  });

  test('a request that needs more seats than there are runs alone', async () => {
    const { send, queues } = level(2);
    const small = send('a');
    const large = send('b', work(10));
    expect(large.outcome).toBeInstanceOf(Promise);
    queues.finish(small.request);
    expect(await large.outcome).toBeUndefined();
  });

  test('reducing the number of queues loses no request', async () => {
    const { send, queues } = level(1);
    const running = send('a');
    const waiting = Array.from({ length: 20 }, (_, i) => send(`flow-${i}`));
    queues.configure({ seats: 100, queuing: { queues: 1, handSize: 1, queueLengthLimit: 50 } });
    expect(await Promise.all(waiting.map(({ outcome }) => outcome))).toEqual(waiting.map(() => undefined));
    for (const { request } of [running, ...waiting]) queues.finish(request);
    expect([queues.queues.length, queues.seatsInUse]).toEqual([1, 0]);
  });

  test('in any sequence, seats are conserved and every request gets a response', async () => {
    const event = fc.oneof(
      fc.record({ flow: fc.constantFrom('a', 'b', 'c'), seats: fc.integer({ min: 1, max: 5 }) }),
      fc.constant('finish' as const),
      fc.constant('tick' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 120 }), fc.integer({ min: 1, max: 6 }), async (events, seats) => {
        const { clock, send, started, queues } = level(seats, { queues: 4, handSize: 2, queueLengthLimit: 3 });
        const outcomes: unknown[] = [];
        for (const next of events) {
          if (next === 'finish') {
            const running = started.shift();
            if (running) queues.finish(running);
          } else if (next === 'tick') await clock.advance(50);
          else outcomes.push(send(next.flow, work(next.seats)).outcome);
          await Promise.resolve();
          expect(queues.seatsInUse <= seats || queues.executing === 1).toBe(true);
        }
        for (let running = started.shift(); running; running = started.shift()) {
          queues.finish(running);
          await Promise.resolve();
        }
        await Promise.all(outcomes);
        expect([queues.waiting, queues.executing, queues.seatsInUse, clock.pending]).toEqual([0, 0, 0, 0]);
        expect(queues.queues.every((queue) => !queue.isActive && queue.seatsWaiting === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('limits', () => {
  const shares = (name: string, nominalConcurrencyShares: number, lendablePercent = 0) => ({
    name,
    isExempt: name === 'exempt',
    nominalConcurrencyShares,
    lendablePercent,
  });

  test('divide the seats of the server by shares, as upstream does', () => {
    const limits = computeLimits([shares('exempt', 0), shares('low', 100, 90), shares('high', 40, 50)], 600);
    expect(limits.get('low')).toEqual({ nominal: 429, lower: 43, upper: 1029 });
    expect(limits.get('high')).toEqual({ nominal: 172, lower: 86, upper: 772 });
    expect(limits.get('exempt')).toEqual({ nominal: 0, lower: 0, upper: 600 });
  });

  test('a level with demand borrows the seats that idle levels lend', () => {
    const base = { isExempt: false, upper: 700 };
    const { current } = computeBorrowing(
      [
        { ...base, name: 'busy', nominal: 50, lower: 25, high: 500, smooth: 500 },
        { ...base, name: 'idle', nominal: 450, lower: 50, high: 0, smooth: 0 },
      ],
      500,
    );
    expect(current.get('busy')).toBe(450);
    expect(current.get('idle')).toBe(50);
  });

  test('borrowing stays between the bounds', () => {
    const one = fc
      .record({ nominal: fc.integer({ min: 1, max: 200 }), lend: fc.double({ min: 0, max: 1, noNaN: true }) })
      .chain(({ nominal, lend }) =>
        fc.record({
          nominal: fc.constant(nominal),
          lower: fc.constant(Math.floor(nominal * (1 - lend))),
          upper: fc.integer({ min: nominal, max: nominal + 300 }),
          high: fc.integer({ min: 0, max: 600 }),
          smooth: fc.double({ min: 0, max: 600, noNaN: true }),
          isExempt: fc.constant(false),
        }),
      );
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (levels) => {
        const named = levels.map((level, i) => ({ ...level, name: String(i) }));
        const { current, fairFraction } = computeBorrowing(named, 600);
        for (const { name, lower, upper } of named) {
          expect(current.get(name)).toBeGreaterThanOrEqual(lower);
          expect(current.get(name)).toBeLessThanOrEqual(Math.max(1, upper));
        }
        if (fairFraction === 0 || fairFraction === 1_000_000) return;
        const seats = named.map(({ lower, upper, nominal, high, smooth }) => {
          const least = Math.max(lower, Math.min(nominal, high));
          return Math.min(upper, Math.max(least, fairFraction * Math.max(least, smooth)));
        });
        expect(seats.reduce((sum, one) => sum + one, 0)).toBeCloseTo(600, 6);
      }),
    );
  });

  test('the smoothed demand rises at once and falls slowly', () => {
    expect(smoothDemand(0, { average: 10, deviation: 2 })).toBe(12);
    expect(smoothDemand(100, { average: 0, deviation: 0 })).toBeCloseTo(97.7);
  });
});
