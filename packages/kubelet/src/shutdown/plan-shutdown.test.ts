import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings } from '../settings.js';
import { graceWithin, planShutdown, shutdownGroups } from './plan-shutdown.js';

const pod = (name: string, priority?: number) => ({
  ...makePod(priority === undefined ? {} : { priority }),
  metadata: { name },
});
const named = (settings: object, ...pods: ReturnType<typeof pod>[]) =>
  planShutdown({ ...defaultSettings, ...settings }, pods).map(
    ({ seconds, pods: members }) => `${seconds}: ${members.map(({ metadata }) => metadata.name).join(' ')}`,
  );

describe('when a node shuts down', () => {
  test('critical pods end after the others', () => {
    const settings = { shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 };
    expect(named(settings, pod('dns', 2_000_000_000), pod('web'), pod('low', -5))).toEqual(['20: web low', '10: dns']);
  });

  test('groups may be stated by priority', () => {
    const shutdownGracePeriodByPodPriority = [
      { priority: 1000, shutdownGracePeriodSeconds: 5 },
      { priority: 100, shutdownGracePeriodSeconds: 7 },
    ];
    const pods = [pod('a', 99), pod('b', 100), pod('c', 999), pod('d', 1000)];
    expect(named({ shutdownGracePeriodByPodPriority }, ...pods)).toEqual(['7: a b c', '5: d']);
  });

  test('nothing is terminated unless a period is set', () => {
    expect(shutdownGroups(defaultSettings)).toEqual([]);
  });

  test('pods have no longer than their group', () => {
    expect(graceWithin(makePod({ terminationGracePeriodSeconds: 60 }), 20)).toBe(20);
    expect(graceWithin(makePod({ terminationGracePeriodSeconds: 5 }), 20)).toBe(5);
    expect(graceWithin(makePod(), 20)).toBe(20);
  });
});
