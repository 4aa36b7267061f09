import type { Exchange } from '@coracle/apimachinery';
import { silentLogger, sleep, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { MemoryApi } from '../memory-api.fixture.js';
import { electLeader, type LeaderElectionOptions } from './leader-elector.js';

const lease = { namespace: 'kube-system', name: 'controllers' };

function arena() {
  const api = new MemoryApi();
  const clock = new VirtualClock();
  const log: string[] = [];
  const stand = (identity: string, more: Partial<LeaderElectionOptions> & { exchange?: Exchange } = {}) => {
    const { exchange = api.exchange, ...options } = more;
    return electLeader({
      client: createClient({ transport: { exchange }, user: { name: identity, groups: [] } }),
      clock,
      random: { next: () => 0 },
      logger: silentLogger,
      lease,
      identity,
      onStartedLeading: () => log.push(`${identity} leads`),
      onStoppedLeading: () => log.push(`${identity} stops`),
      ...options,
    });
  };
  const read = () =>
    createClient({ transport: api, user: { name: 'x', groups: [] } })
      .leases(lease.namespace)
      .get(lease.name);
  const steal = async (identity: string) => {
    const held = await read();
    const leases = createClient({ transport: api, user: { name: 'x', groups: [] } }).leases(lease.namespace);
    await leases.update({ ...held, spec: { ...held.spec, holderIdentity: identity } });
  };
  return { api, clock, log, stand, read, steal };
}

describe('leader election', () => {
  test('LE-4 creates the lease, leads, and renews it', async () => {
    const { clock, log, stand, read } = arena();
    await using elector = stand('a');
    await clock.advance(7_000);
    expect(log).toEqual(['a leads']);
    expect(elector.isLeader).toBe(true);
    expect((await read()).spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:06.000000Z',
    });
  });

  test('a leader whose work cannot begin releases the lease, and retries later', async () => {
    const { clock, log, stand, read } = arena();
    let failures = 0;
    const onStartedLeading = (signal: AbortSignal) => {
      if (failures++ < 2) throw new Error('no work');
      log.push(signal.aborted ? 'too late' : 'a leads at last');
    };
    await using elector = stand('a', { onStartedLeading, releaseOnStop: true });
    await clock.advance(1_000);
    expect({ leads: elector.isLeader, holder: (await read()).spec?.holderIdentity }).toEqual({
      leads: false,
      holder: '',
    });
    await clock.advance(5_000);
    expect({ leads: elector.isLeader, log }).toEqual({ leads: true, log: ['a stops', 'a stops', 'a leads at last'] });
  });

  test('a second candidate waits while the first renews, and observes the leader', async () => {
    const { clock, log, stand } = arena();
    const seen: string[] = [];
    await using _first = stand('a');
    await clock.advance(1_000);
    await using second = stand('b', { onNewLeader: (identity) => seen.push(identity) });
    await clock.advance(120_000);
    expect({ log, seen, leader: second.leader, leads: second.isLeader }).toEqual({
      log: ['a leads'],
      seen: ['a'],
      leader: 'a',
      leads: false,
    });
  });

  test('takes over when the lease has not changed for its whole duration on its own clock', async () => {
    const { api, clock, log, stand, read } = arena();
    let cut = false;
    const exchange: Exchange = (request) => (cut ? new Promise(() => {}) : api.exchange(request));
    const first = stand('a', { exchange });
    await using _second = stand('b');
    await clock.advance(4_000);
    cut = true;
    await clock.advance(9_999);
    expect(log).toEqual(['a leads']);
    await clock.advance(20_000);
    expect(log).toEqual(['a leads', 'a stops', 'b leads']);
    expect((await read()).spec?.leaseTransitions).toBe(1);
    await first[Symbol.asyncDispose]();
  });

  test('aborts the work of a leader that cannot renew before another may lead', async () => {
    const { api, clock, stand } = arena();
    let cut = false;
    let lostAt = 0;
    const exchange: Exchange = (request) => (cut ? Promise.reject(new Error('cut')) : api.exchange(request));
    await using elector = stand('a', {
      exchange,
      onStartedLeading: (signal) => signal.addEventListener('abort', () => (lostAt = clock.now())),
    });
    await clock.advance(1_000);
    const cutAt = clock.now();
    cut = true;
    await clock.advance(60_000);
    expect(lostAt - cutAt).toBeLessThan(15_000);
    expect(elector.isLeader).toBe(false);
  });

  test('steps down before another may lead when its last renewal was answered late', async () => {
    const { api, clock, log, stand } = arena();
    let state: 'fast' | 'slow' | 'cut' = 'fast';
    const exchange: Exchange = async (request) => {
      if (state === 'cut') return new Promise(() => {});
      const response = await api.exchange(request);
      if (state === 'fast' || request.method === 'GET') return response;
      state = 'cut';
      await sleep(clock, 7_900);
      return response;
    };
    await using first = stand('a', { exchange });
    await clock.advance(1_000);
    await using second = stand('b');
    state = 'slow';
    for (let passed = 0; passed < 30; passed++) {
      await clock.advance(1_000);
      expect(first.isLeader && second.isLeader).toBe(false);
    }
    expect(log).toEqual(['a leads', 'a stops', 'b leads']);
  });

  test('says how long it may act: a lease from the moment at which it sent the renewal', async () => {
    const { api, clock, stand } = arena();
    const exchange: Exchange = async (request) => {
      if (request.method !== 'GET') await sleep(clock, 1_000);
      return api.exchange(request);
    };
    const ends: number[] = [];
    const begun = clock.elapsed();
    await using _elector = stand('a', { exchange, onRenewed: (endsAt) => ends.push(endsAt - begun) });
    await clock.advance(7_000);
    // Sent at once, and two seconds after each answer.
    expect(ends).toEqual([15_000, 18_000, 21_000]);
  });

  test('steps down when it sees that another holds the lease', async () => {
    const { clock, log, stand, steal } = arena();
    await using _first = stand('a');
    await clock.advance(1_000);
    await steal('x');
    await clock.advance(2_000);
    expect(log).toEqual(['a leads', 'a stops']);
  });

  test('a candidate does not take over because the time of day was set forward', async () => {
    const { api, clock, log, stand } = arena();
    let cut = false;
    const exchange: Exchange = (request) => (cut ? new Promise(() => {}) : api.exchange(request));
    await using _first = stand('a', { exchange });
    await clock.advance(1_000);
    await using _second = stand('b');
    await clock.advance(3_500);
    cut = true;
    await clock.advance(2_000);
    clock.setForward(3_600_000);
    await clock.advance(30_000);
    expect(log).toEqual(['a leads', 'a stops', 'b leads']);
  });

  test('LE-2 releases the lease with releaseOnStop, so that a successor leads at once', async () => {
    const { clock, log, stand, read } = arena();
    const first = stand('a', { releaseOnStop: true });
    await clock.advance(1_000);
    await using _second = stand('b');
    await clock.advance(1_000);
    await first[Symbol.asyncDispose]();
    expect((await read()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await clock.advance(2_500);
    expect(log).toEqual(['a leads', 'a stops', 'b leads']);
  });

  test('LE-2 steps back from a lease that a renewal changed at the last moment', async () => {
    const { api, clock, stand, read } = arena();
    const leases = createClient({ transport: api, user: { name: 'x', groups: [] } }).leases(lease.namespace);
    let ending = false;
    const exchange: Exchange = async (request) => {
      if (ending && request.method === 'PUT') {
        ending = false;
        const held = await read();
        await leases.update({ ...held, spec: { ...held.spec, renewTime: '2026-01-01T00:00:01.000000Z' } });
      }
      return await api.exchange(request);
    };
    const elector = stand('a', { releaseOnStop: true, exchange });
    await clock.advance(1_000);
    ending = true;
    await elector[Symbol.asyncDispose]();
    expect((await read()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  test('LE-2 ends after the renew deadline if the server does not respond when it releases the lease', async () => {
    const { api, clock, log, stand } = arena();
    let isSilent = false;
    const exchange: Exchange = (request) => (isSilent ? new Promise(() => undefined) : api.exchange(request));
    const elector = stand('a', { releaseOnStop: true, exchange });
    await clock.advance(1_000);
    isSilent = true;
    let isOver = false;
    const ended = elector[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    await clock.advance(9_000);
    const wasOver = isOver;
    await clock.advance(1_000);
    expect({ wasOver, isOver, log, timers: clock.pending }).toEqual({
      wasOver: false,
      isOver: true,
      log: ['a leads', 'a stops'],
      timers: 0,
    });
    await ended;
  });

  test('a callback about the leader that throws does not cost the lease', async () => {
    const { clock, log, stand } = arena();
    const onNewLeader = () => {
      throw new Error('nobody listens');
    };
    await using elector = stand('a', { onNewLeader });
    await clock.advance(0);
    expect({ leads: elector.isLeader, log }).toEqual({ leads: true, log: ['a leads'] });
  });

  test('is unhealthy when a leader was asleep for longer than its lease, as on a machine that was suspended', async () => {
    const { clock, stand } = arena();
    let sleptMs = 0;
    const suspended = { now: () => clock.now() + sleptMs, schedule: clock.schedule.bind(clock) };
    await using elector = stand('a', { clock: suspended });
    await clock.settle();
    const before = elector.isHealthy(0);
    sleptMs = 20_000;
    expect([before, elector.isHealthy(0), elector.isHealthy(10_000)]).toEqual([true, false, true]);
  });

  test('LE-4 refuses times that cannot work', () => {
    const { stand } = arena();
    expect(() => stand('a', { leaseDurationMs: 10_000 })).toThrow('leaseDuration must be greater than renewDeadline');
    expect(() => stand('a', { retryPeriodMs: 9_000 })).toThrow('renewDeadline must be greater');
  });

  test('records events about the leader', async () => {
    const { clock, stand } = arena();
    const messages: string[] = [];
    const elector = stand('a', {
      recorder: { event: (about, _type, reason, message) => messages.push(`${about.kind} ${reason}: ${message}`) },
    });
    await clock.advance(1_000);
    await elector[Symbol.asyncDispose]();
    expect(messages).toEqual(['Lease LeaderElection: a became leader', 'Lease LeaderElection: a stopped leading']);
  });

  test('leaves no timer behind', async () => {
    const { clock, stand } = arena();
    const elector = stand('a');
    await clock.advance(5_000);
    await elector[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  test('of many candidates that start and stop, never two lead at once', async () => {
    const { clock, stand } = arena();
    let leading = 0;
    let most = 0;
    const candidate = (identity: string) =>
      stand(identity, {
        releaseOnStop: identity === 'c',
        onStartedLeading: () => (most = Math.max(most, ++leading)),
        onStoppedLeading: () => leading--,
      });
    let electors = ['a', 'b', 'c'].map(candidate);
    for (let round = 0; round < 20; round++) {
      await clock.advance(7_000);
      const [next, ...rest] = electors;
      await next?.[Symbol.asyncDispose]();
      electors = [...rest, candidate(`${'abc'[round % 3]}`)];
    }
    for (const elector of electors) await elector[Symbol.asyncDispose]();
    expect(most).toBe(1);
  });
});
