import { describe, expect, test } from 'vitest';
import type { StoreEvent } from '../store.js';
import { WatchHub } from './watch-hub.js';

const put = (key: string, modRevision = 1): StoreEvent => ({
  type: 'put',
  keyValue: { key, value: new Uint8Array(0), createRevision: 1, modRevision, version: 1, lease: 0 },
});

function subscribe(hub: WatchHub, prefix: string, fromRevision = 0) {
  const messages: string[] = [];
  let calls = 0;
  const subscriber = {
    prefix,
    fromRevision,
    listener: {
      onEvents: (events: readonly StoreEvent[]) => {
        calls++;
        messages.push(...events.map((event) => event.keyValue.key));
      },
      onError: () => {},
    },
  };
  hub.add(subscriber);
  return { events: messages, subscriber, calls: () => calls };
}

describe('the watch hub', () => {
  test.each([
    { prefix: '', want: ['/pods/a/1', '/pods/b/1', '/podsets/a'] },
    { prefix: '/pods/', want: ['/pods/a/1', '/pods/b/1'] },
    { prefix: '/pods', want: ['/pods/a/1', '/pods/b/1', '/podsets/a'] },
    { prefix: '/pods/a/1', want: ['/pods/a/1'] },
    { prefix: '/pods/a/10', want: [] },
  ])('notifies watches of "$prefix" of $want, in one call', ({ prefix, want }) => {
    const hub = new WatchHub();
    const { events, calls } = subscribe(hub, prefix);
    hub.publish([put('/pods/a/1'), put('/pods/b/1'), put('/podsets/a')], 1);
    expect(events).toEqual(want);
    expect(calls()).toBe(want.length > 0 ? 1 : 0);
  });

  test('does not send revisions before the one requested', () => {
    const hub = new WatchHub();
    const { events } = subscribe(hub, '/', 5);
    hub.publish([put('/a', 4), put('/b', 5)], 5);
    expect(events).toEqual(['/b']);
  });

  test('removes subscribers', () => {
    const hub = new WatchHub();
    const [first, second] = [subscribe(hub, '/'), subscribe(hub, '/')];
    hub.delete(first.subscriber);
    hub.publish([put('/a')], 1);
    expect([first.events, second.events]).toEqual([[], ['/a']]);
  });
});
