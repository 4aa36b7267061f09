import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings } from '../settings.js';
import { NodeShutdown } from './node-shutdown.js';

const pod = (name: string, priority: number) => ({ ...makePod({ priority }), metadata: { name } });
const settings = { ...defaultSettings, shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 };

/** A node with two pods; the named ones never end. */
function shuttingDown(stubborn: readonly string[] = [], grace = settings) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const shutdown = new NodeShutdown({
    settings: grace,
    clock,
    logger: silentLogger,
    activePods: () => [pod('dns', 2_000_000_000), pod('web', 0)],
    end: ({ metadata }, { reason, disruption }, seconds) => {
      done.push(`${clock.now()}: ${metadata.name} ${reason} ${disruption?.reason} ${seconds}s`);
      return stubborn.includes(metadata.name ?? '') ? new Promise(() => {}) : Promise.resolve();
    },
    onChange: () => void done.push(shutdown.problem ?? 'ready'),
  });
  return { clock, done, shutdown };
}

test('pods end by priority, and new ones are rejected', async () => {
  const { done, shutdown } = shuttingDown();
  expect([shutdown.problem, shutdown.refusal]).toEqual([undefined, undefined]);
  await shutdown.begin();
  const [web, dns] = ['web Terminated TerminationByKubelet 20s', 'dns Terminated TerminationByKubelet 10s'];
  expect(done.map((line) => line.replace(/^\d+: /, ''))).toEqual(['node is shutting down', web, dns]);
  expect(shutdown.refusal).toEqual({
    reason: 'NodeShutdown',
    message: 'Pod was rejected as the node is shutting down.',
  });
  shutdown.cancel();
  expect([shutdown.problem, done.at(-1)]).toEqual([undefined, 'ready']);
});

test('a group that exceeds its time does not delay the next', async () => {
  const { clock, done, shutdown } = shuttingDown(['web']);
  const startedAt = clock.now();
  const over = shutdown.begin();
  await clock.advance(20_000);
  await over;
  expect(done.at(-1)).toMatch(new RegExp(`^${startedAt + 20_000}: dns`));
});

test('nothing is terminated unless a grace period is set', async () => {
  const { done, shutdown } = shuttingDown([], defaultSettings);
  await shutdown.begin();
  expect([done, shutdown.problem]).toEqual([[], undefined]);
});
