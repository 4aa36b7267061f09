import { describe, expect, test } from 'vitest';
import { type ConditionLike, findCondition, isConditionTrue, setCondition } from './conditions.js';

const then = '2026-01-01T00:00:00Z';
const now = Date.UTC(2026, 0, 2);
const ready: ConditionLike = { type: 'Ready', status: 'True', reason: 'Up', lastTransitionTime: then };

describe('setCondition', () => {
  test('adds a condition with the time', () => {
    expect(setCondition(undefined, { type: 'Ready', status: 'True' }, now)).toEqual([
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
    ]);
  });

  test('moves the time when the status changes', () => {
    expect(setCondition([ready], { type: 'Ready', status: 'False', reason: 'Down' }, now)).toEqual([
      { type: 'Ready', status: 'False', reason: 'Down', lastTransitionTime: '2026-01-02T00:00:00Z' },
    ]);
  });

  test('keeps the time when only the message changes', () => {
    expect(setCondition([ready], { type: 'Ready', status: 'True', reason: 'Other' }, now)).toEqual([
      { ...ready, reason: 'Other' },
    ]);
  });

  test('returns the same list when nothing changes, and never changes it', () => {
    const list = Object.freeze([ready]);
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up' }, now)).toBe(list);
    expect(setCondition(list, { type: 'Other', status: 'True' }, now)).toHaveLength(2);
    expect(list).toHaveLength(1);
  });
});

test('conditions are found by type', () => {
  const list = [ready];
  expect([findCondition(list, 'Ready'), findCondition(list, 'x'), findCondition(undefined, 'x')]).toEqual([
    ready,
    undefined,
    undefined,
  ]);
  expect([isConditionTrue(list, 'Ready'), isConditionTrue(list, 'x')]).toEqual([true, false]);
});
