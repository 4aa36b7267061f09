import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StreamGroup } from './stream-group.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A response that records when data was written, and how much. */
function response({ isFull = false } = {}) {
  const writes: { at: number; bytes: number }[] = [];
  const ends: number[] = [];
  const breaks: string[] = [];
  const outgoing = Object.assign(new EventEmitter(), {
    write: (chunk: Uint8Array) => {
      writes.push({ at: performance.now(), bytes: chunk.length });
      return !isFull;
    },
    end: () => ends.push(performance.now()),
    destroy: ({ message }: Error) => breaks.push(message),
  });
  return { outgoing, writes, ends, breaks };
}

/** Writes so much to each of some streams every millisecond, and reports how often the first one was written to. */
function pauses(streams: number, bytesEach: number): number[] {
  const group = new StreamGroup();
  const responses = Array.from({ length: streams }, response);
  const sinks = responses.map(({ outgoing }) => group.sink(outgoing));
  for (let ms = 0; ms < 100; ms++) {
    for (const sink of sinks) sink.write(new Uint8Array(bytesEach));
    vi.advanceTimersByTime(1);
  }
  const times = responses[0]?.writes.map(({ at }) => at) ?? [];
  return times.slice(1).map((at, i) => Math.round(at - (times[i] as number)));
}

test('the first event of a stream is sent in the same turn', () => {
  const { outgoing, writes } = response();
  new StreamGroup().sink(outgoing).write(new Uint8Array(7));
  vi.advanceTimersToNextTimer();
  expect(writes).toEqual([{ at: 0, bytes: 7 }]);
});

test('further events are batched for a moment', () => {
  expect(Math.max(...pauses(3, 100))).toBeLessThanOrEqual(5);
  expect(Math.min(...pauses(3, 100).slice(1))).toBeGreaterThanOrEqual(4);
});

test('many events to many streams are batched longer', () => {
  const busy = pauses(60, 5_000);
  expect(busy[0]).toBeLessThanOrEqual(5);
  expect(Math.max(...busy)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...busy)).toBeLessThanOrEqual(21);
});

test('a stream that has much waiting is written to at once, so that the caller that writes learns whether it is taken', () => {
  const { outgoing, writes } = response();
  const sink = new StreamGroup().sink(outgoing);
  sink.write(new Uint8Array(300 * 1024));
  expect(writes).toEqual([{ at: 0, bytes: 300 * 1024 }]);
});

test('a stream ends behind all that was written to it, and only once', () => {
  const { outgoing, writes, ends } = response();
  const sink = new StreamGroup().sink(outgoing);
  sink.write(new Uint8Array(1));
  vi.advanceTimersByTime(0);
  sink.write(new Uint8Array(2));
  sink.write(new Uint8Array(3));
  sink.end();
  expect(ends).toEqual([]);
  vi.runAllTimers();
  expect({ writes, ends }).toEqual({
    writes: [
      { at: 0, bytes: 1 },
      { at: 4, bytes: 5 },
    ],
    ends: [4],
  });
});

test('a stream that nothing waits for ends at once', () => {
  const { outgoing, ends } = response();
  new StreamGroup().sink(outgoing).end();
  expect(ends).toEqual([0]);
});

test('writing to a client that does not read reports backpressure until it has caught up', () => {
  const { outgoing } = response({ isFull: true });
  const sink = new StreamGroup().sink(outgoing);
  const results = [sink.write(new Uint8Array(1))];
  vi.runAllTimers();
  results.push(sink.write(new Uint8Array(1)));
  outgoing.emit('drain');
  results.push(sink.write(new Uint8Array(1)));
  expect(results).toEqual([true, false, true]);
});

test('nothing is written to a stream that has been closed', () => {
  const { outgoing, writes } = response();
  const sink = new StreamGroup().sink(outgoing);
  sink.write(new Uint8Array(1));
  outgoing.emit('close');
  vi.runAllTimers();
  expect(writes).toEqual([]);
});

test('a stream whose source breaks off is sent what there is, and breaks off too', () => {
  const { outgoing, writes, ends, breaks } = response();
  const sink = new StreamGroup().sink(outgoing);
  sink.write(new Uint8Array(3));
  sink.end(new Error('cut'));
  vi.runAllTimers();
  expect({ bytes: writes.map(({ bytes }) => bytes), ends, breaks }).toEqual({ bytes: [3], ends: [], breaks: ['cut'] });
});
