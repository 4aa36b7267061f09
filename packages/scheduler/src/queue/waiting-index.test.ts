import { expect, test } from 'vitest';
import type { ClusterEvent } from './cluster-event.js';
import { eventKeys, WaitingIndex } from './waiting-index.js';

const claims = { kind: 'other', resource: 'claims' } as const;
const volumes = { kind: 'other', resource: 'volumes' } as const;
const self = { kind: 'self-updated' } as const;

function hearing(index: WaitingIndex<string>) {
  return (event: ClusterEvent) => [...index.listeningTo(event, () => true)].sort();
}

test('an event reaches those that listen to it, each once', () => {
  const index = new WaitingIndex<string>();
  const podsWokenBy = hearing(index);
  index.add('claims', eventKeys('other', ['claims']));
  index.add('others', eventKeys('other'));
  index.add('all', undefined);
  index.add('both', [...eventKeys('other'), ...eventKeys('other', ['claims'])]);
  index.add('none', []);
  expect(podsWokenBy(claims)).toEqual(['all', 'both', 'claims', 'others']);
  expect(podsWokenBy(volumes)).toEqual(['all', 'both', 'others']);
  expect(podsWokenBy(self)).toEqual(['all']);
});

test('adding a pod again replaces its events, and a removed pod is not found', () => {
  const index = new WaitingIndex<string>();
  const podsWokenBy = hearing(index);
  index.add('a', eventKeys('other', ['claims']));
  index.add('a', eventKeys('other', ['volumes']));
  expect([podsWokenBy(claims), podsWokenBy(volumes)]).toEqual([[], ['a']]);
  index.remove('a');
  expect(podsWokenBy(volumes)).toEqual([]);
});

test('an event about an object moves pods that wait for it, and pods that wait for any', () => {
  const index = new WaitingIndex<string>();
  const wokenBy = hearing(index);
  index.add('mine', eventKeys('other', ['claims'], ['ns/mine']));
  index.add('yours', eventKeys('other', ['claims'], ['ns/yours', 'ns/shared']));
  index.add('claims', eventKeys('other', ['claims']));
  expect(wokenBy({ ...claims, about: ['ns/mine', 'uid'] })).toEqual(['claims', 'mine']);
  expect(wokenBy({ ...claims, about: ['ns/shared', 'ns/yours'] })).toEqual(['claims', 'yours']);
  expect(wokenBy(claims)).toEqual(['claims', 'mine', 'yours']);
  expect(wokenBy({ ...volumes, about: ['ns/mine'] })).toEqual([]);
});
