import { expect, test } from 'vitest';
import { EventLog } from './event-log.js';

const event = (resource: string) => ({ kind: 'other', resource }) as const;

function seenSince(log: EventLog, position: number, uid = 'p'): string[] {
  const seen: string[] = [];
  log.someSince(position, uid, (one) => {
    seen.push(one.kind === 'other' ? one.resource : one.kind);
    return false;
  });
  return seen;
}

test('reports the events after a position, except to the pod that caused them', () => {
  const log = new EventLog();
  log.add(event('a'), undefined);
  const position = log.end;
  log.add(event('b'), undefined);
  log.add(event('c'), 'p');
  expect([seenSince(log, position), seenSince(log, position, 'other')]).toEqual([['b'], ['b', 'c']]);
});

test('positions stay valid when earlier events are dropped', () => {
  const log = new EventLog();
  const positions = Array.from({ length: 10 }, (_, index) => {
    log.add(event(String(index)), undefined);
    return log.end;
  });
  log.dropBefore(positions[7] ?? 0);
  expect(seenSince(log, positions[7] ?? 0)).toEqual(['8', '9']);
});

test('is bounded: a reader that is too far behind must assume any event', () => {
  const log = new EventLog();
  const start = log.end;
  for (let i = 0; i < 10_001; i++) log.add(event('x'), undefined);
  expect(log.someSince(start, 'p', () => false)).toBe(true);
  expect(log.someSince(log.end, 'p', () => false)).toBe(false);
});
