import { EventEmitter } from 'node:events';
import { nextTurn, sleep, VirtualClock } from '@coracle/base';
import { StoreError } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import type { WatchStream } from './connection.js';
import { EtcdWatch } from './etcd-watch.js';
import { Keys } from './keys.js';
import type { WatchRequest, WatchResponse } from './messages.js';

class FakeStream extends EventEmitter {
  readonly requests: WatchRequest[] = [];

  write(request: WatchRequest): void {
    this.requests.push(request);
  }

  cancel(): void {
    this.emit('error', new Error('cancelled'));
  }

  answer(response: WatchResponse): void {
    this.emit('data', response);
  }
}

/** A watch from revision 6 on, of an etcd that answers when the test says so. */
function setUp() {
  const clock = new VirtualClock();
  const streams: FakeStream[] = [];
  const counts = { prompts: 0, revisions: 0 };
  const seen: string[] = [];
  const state = { revision: 5, fails: false };
  const watch = new EtcdWatch({
    connection: {
      closed: false,
      openWatch: () => {
        const stream = new FakeStream();
        streams.push(stream);
        return { stream: stream as unknown as WatchStream, abandon: () => {} };
      },
      pause: () => sleep(clock, 50),
    },
    keys: new Keys(''),
    prefix: '/',
    fromRevision: 6,
    progress: {
      currentRevision: async () => {
        counts.revisions++;
        if (state.fails) throw new StoreError('Unavailable', 'etcd does not answer');
        return state.revision;
      },
      prompt: async () => void counts.prompts++,
    },
    listener: {
      onEvents: (events, revision) => seen.push(`${events.length} events to ${revision}`),
      onProgress: (revision) => seen.push(`progress to ${revision}`),
      onError: (error) => seen.push(StoreError.is(error) ? `${error.code}: ${error.message}` : String(error)),
    },
  });
  const progressTo = (revision: number) => streams.at(-1)?.answer({ header: { revision } });
  return { clock, streams, counts, seen, state, watch, progressTo };
}

describe('progress of a watch on etcd', () => {
  test('however often it is requested while the watch stalls, etcd receives a few requests a second', async () => {
    const { clock, counts, seen, state, watch, progressTo } = setUp();
    for (let i = 0; i < 1_000; i++) {
      state.revision++;
      watch.requestProgress();
      await clock.advance(1);
    }
    expect(counts.prompts).toBeLessThan(30);
    expect(counts.revisions).toBeLessThan(30);
    progressTo(state.revision);
    await clock.advance(1_000);
    expect({ seen, pending: clock.pending }).toEqual({ seen: [`progress to ${state.revision}`], pending: 0 });
  });

  test('a request right after an answer does not wait for the loop to look again', async () => {
    const { counts, seen, state, watch, progressTo } = setUp();
    for (let i = 0; i < 5; i++) {
      state.revision++;
      watch.requestProgress();
      for (let turns = 0; turns < 5; turns++) await nextTurn();
      progressTo(state.revision);
    }
    expect({ seen, prompts: counts.prompts }).toEqual({
      seen: [6, 7, 8, 9, 10].map((revision) => `progress to ${revision}`),
      prompts: 5,
    });
  });

  test('a request that failed is made again', async () => {
    const { clock, counts, seen, state, watch, progressTo } = setUp();
    state.revision = 7;
    watch.requestProgress();
    await clock.advance(1);
    state.fails = true;
    watch.requestProgress();
    await clock.advance(500);
    expect(counts.revisions).toBeGreaterThan(1);
    state.fails = false;
    watch.requestProgress();
    await clock.advance(100);
    progressTo(7);
    await clock.advance(1_000);
    expect({ seen, pending: clock.pending }).toEqual({ seen: ['progress to 7'], pending: 0 });
  });
});

describe('a watch that etcd ends', () => {
  test('is given up with the reason, and not begun again and again', async () => {
    const { clock, streams, seen } = setUp();
    streams[0]?.answer({ created: true, canceled: true, cancelReason: 'permission denied' });
    await clock.advance(60_000);
    expect({ streams: streams.length, seen }).toEqual({
      streams: 1,
      seen: ['Unavailable: etcd canceled the watch: permission denied'],
    });
  });

  test('reports the oldest revision when its history was compacted', async () => {
    const { streams, seen } = setUp();
    streams[0]?.answer({ canceled: true, compactRevision: 9 });
    expect(seen).toEqual(['Compacted: revision 6 has been compacted; the oldest kept is 9']);
  });
});
