import type { Pod, Volume } from '@coracle/api';
import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { fakeReferences, makePod } from '../builders.fixture.js';
import type { PodVolumes } from './pod-volumes.js';
import { shownObjects, VolumeRefresher } from './volume-refresher.js';

function refresherOf(volumes: Volume[]) {
  const pod = makePod({ volumes });
  const refreshed: string[] = [];
  const clock = new VirtualClock();
  let tell: (key: string) => void = () => {};
  const references = {
    ...fakeReferences(),
    onChange: (listener: (key: string) => void) => {
      tell = listener;
      return { [Symbol.dispose]: () => {} };
    },
  };
  // Nothing else of it is used here.
  const podVolumes = { refresh: async ({ metadata }: Pod) => void refreshed.push(metadata.name ?? '') } as PodVolumes;
  const refresher = new VolumeRefresher({
    volumes: podVolumes,
    references,
    activePods: () => [pod],
    clock,
    logger: silentLogger,
  });
  return { pod, refreshed, clock, refresher, changed: (key: string) => tell(key) };
}

test('files follow the objects that they show, several changes together', async () => {
  const { refreshed, clock, changed } = refresherOf([
    { name: 'v', projected: { sources: [{ secret: { name: 'a' } }] } },
  ]);
  changed('other/a');
  changed('shop/b');
  await clock.advance(1_000);
  expect(refreshed).toEqual([]);
  changed('shop/a');
  changed('shop/a');
  await clock.advance(1_000);
  expect(refreshed).toEqual(['web']);
});

test('files follow the labels of their own pod', async () => {
  const { pod, refreshed, clock, refresher } = refresherOf([{ name: 'v', downwardAPI: {} }]);
  const seen: Pod[] = [];
  const sink = refresher.watching({ set: (one) => void seen.push(one), remove: () => {} });
  sink.set(pod);
  sink.set({ ...pod, status: { phase: 'Running' } });
  await clock.advance(1_000);
  expect(refreshed).toEqual([]);
  sink.set({ ...pod, metadata: { ...pod.metadata, labels: { new: 'label' } } });
  await clock.advance(1_000);
  expect(refreshed).toEqual(['web']);
  expect(seen).toHaveLength(3);
});

test('volumes show config maps and secrets', () => {
  const volumes: Volume[] = [
    { name: 'a', configMap: { name: 'one' } },
    { name: 'b', secret: { secretName: 'two' } },
    { name: 'c', projected: { sources: [{ configMap: { name: 'three' } }, { secret: { name: 'four' } }] } },
    { name: 'd', emptyDir: {} },
  ];
  expect(shownObjects(makePod({ volumes }))).toEqual(['one', 'two', 'three', 'four']);
});
