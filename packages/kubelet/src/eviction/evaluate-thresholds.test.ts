import { describe, expect, test } from 'vitest';
import type { HostUsage } from '../host-usage.js';
import { defaultSettings, type KubeletSettings } from '../settings.js';
import { evaluateThresholds, noPressure, type PressureState } from './evaluate-thresholds.js';
import { thresholdsOf } from './thresholds.js';

const mi = 2 ** 20;

/** A node with 1,000 Mi of memory and disk, of which this amount is available. */
function usageOf(available: { memory?: number; disk?: number; pids?: number }, at: number): HostUsage {
  return {
    at,
    memory: { capacity: 1_000 * mi, available: (available.memory ?? 1_000) * mi },
    nodeFilesystem: { bytes: { capacity: 1_000 * mi, available: (available.disk ?? 1_000) * mi } },
    processes: { capacity: 1_000, available: available.pids ?? 1_000 },
  };
}

type Steps = readonly (readonly [at: number, HostUsage])[];

/** Evaluates once per step; returns the conditions and the resources to reclaim after each. */
function play(settings: Partial<KubeletSettings>, steps: Steps) {
  const all = { ...defaultSettings, ...settings };
  const thresholds = thresholdsOf(all);
  const transitionMs = all.evictionPressureTransitionPeriod;
  let state: PressureState = noPressure;
  return steps.map(([now, usage]) => {
    const verdict = evaluateThresholds(state, { thresholds, usage, now, transitionMs });
    state = verdict.state;
    const signals = verdict.toReclaim.map(({ signal, graceMs }) => `${signal}${graceMs ? ' soft' : ''}`);
    return { conditions: [...state.conditions], signals };
  });
}

/** Only the resources to reclaim. */
function reclaims(settings: Partial<KubeletSettings>, steps: Steps) {
  return play(settings, steps).map(({ signals }) => signals);
}

describe('evaluateThresholds', () => {
  test.each([
    { available: {}, conditions: [], signals: [] },
    { available: { memory: 99 }, conditions: ['MemoryPressure'], signals: ['memory.available'] },
    { available: { memory: 100 }, conditions: [], signals: [] },
    { available: { disk: 140 }, conditions: ['DiskPressure'], signals: ['imagefs.available'] },
    { available: { disk: 99 }, conditions: ['DiskPressure'], signals: ['nodefs.available', 'imagefs.available'] },
  ])('K31.3 K31.6 $available gives $conditions', ({ available, conditions, signals }) => {
    expect(play({}, [[0, usageOf(available, 0)]])).toEqual([{ conditions, signals }]);
  });

  test('K31.8 pid.available has an effect if a threshold is set', () => {
    const evictionHard = { 'pid.available': '10%' };
    expect(play({ evictionHard }, [[0, usageOf({ pids: 99 }, 0)]])).toEqual([
      { conditions: ['PIDPressure'], signals: ['pid.available'] },
    ]);
  });

  test('K31.8 a condition stays true for the transition period after the pressure ends', () => {
    const [under, soon, late] = play({}, [
      [0, usageOf({ memory: 50 }, 0)],
      [299_000, usageOf({}, 299_000)],
      [300_000, usageOf({}, 300_000)],
    ]);
    expect([under?.conditions, soon?.conditions, late?.conditions]).toEqual([
      ['MemoryPressure'],
      ['MemoryPressure'],
      [],
    ]);
    expect(soon?.signals).toEqual([]);
  });

  test('K31.6 a soft threshold must be crossed for its grace period', () => {
    const soft = {
      evictionSoft: { 'memory.available': '200Mi' },
      evictionSoftGracePeriod: { 'memory.available': '1m' },
    };
    const at = (now: number, memory: number) => [now, usageOf({ memory }, now)] as const;
    expect(reclaims(soft, [at(0, 150), at(50_000, 150), at(60_000, 150), at(70_000, 300), at(80_000, 150)])).toEqual([
      [],
      [],
      ['memory.available soft'],
      [],
      [],
    ]);
  });

  test('K31.7 once met, a threshold stays met until the minimum is reclaimed', () => {
    const settings = { evictionMinimumReclaim: { 'memory.available': '100Mi' } };
    const at = (now: number, memory: number) => [now, usageOf({ memory }, now)] as const;
    expect(reclaims(settings, [at(0, 150), at(1, 50), at(2, 150), at(3, 200), at(4, 150)])).toEqual([
      [],
      ['memory.available'],
      ['memory.available'],
      [],
      [],
    ]);
  });

  test('K31.4 one measurement reclaims once', () => {
    const usage = usageOf({ memory: 50 }, 7);
    expect(
      reclaims({}, [
        [10, usage],
        [20, usage],
      ]),
    ).toEqual([['memory.available'], []]);
  });

  test('K31.9 memory is reclaimed first', () => {
    const evictionHard = { 'nodefs.available': '10%', 'memory.available': '100Mi' };
    expect(reclaims({ evictionHard }, [[0, usageOf({ memory: 1, disk: 1 }, 0)]])).toEqual([
      ['memory.available', 'nodefs.available'],
    ]);
  });
});

describe('thresholdsOf', () => {
  test('K31.3 allocatableMemory.available uses the threshold of memory.available', () => {
    expect(thresholdsOf(defaultSettings).map(({ signal }) => signal)).toEqual([
      'allocatableMemory.available',
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
    ]);
  });

  test.each([
    ['of 0 %', { evictionHard: { 'memory.available': '0%' } }],
    ['of 100 %', { evictionHard: { 'memory.available': '100%' } }],
    ['of 100 % that are soft', { evictionHard: {}, evictionSoft: { 'nodefs.available': '100%' } }],
    ['of the filesystem of containers', { evictionHard: { 'containerfs.available': '5%' } }],
    ['of its inodes', { evictionHard: { 'containerfs.inodesFree': '5%' } }],
  ])('thresholds %s are ignored', (_, settings) => {
    expect(thresholdsOf({ ...defaultSettings, ...settings })).toEqual([]);
  });

  test.each([
    [{ evictionHard: { 'cpu.available': '1' } }, 'unsupported eviction signal cpu.available'],
    [{ evictionHard: { 'nodefs.available': '101%' } }, 'must be between 0% and 100%: 101%'],
    [{ evictionSoft: { 'memory.available': '1Gi' } }, 'grace period must be specified'],
  ])('refuses %j', (settings, problem) => {
    expect(() => thresholdsOf({ ...defaultSettings, ...settings })).toThrow(problem);
  });
});
