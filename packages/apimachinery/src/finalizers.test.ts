import { expect, test } from 'vitest';
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from './finalizers.js';

const bare = Object.freeze({ metadata: Object.freeze({ name: 'a' }) });

test('a finalizer is added once, to a copy', () => {
  const once = withFinalizer(bare, 'a.b/c');
  expect(once).toEqual({ metadata: { name: 'a', finalizers: ['a.b/c'] } });
  expect(withFinalizer(once, 'a.b/c')).toBe(once);
  expect(hasFinalizer(bare, 'a.b/c')).toBe(false);
});

test('the last finalizer takes the field with it', () => {
  const two = { metadata: { name: 'a', finalizers: ['x/y', 'a.b/c'] } };
  const one = withoutFinalizer(two, 'x/y');
  expect(one).toEqual({ metadata: { name: 'a', finalizers: ['a.b/c'] } });
  expect(withoutFinalizer(one, 'a.b/c')).toEqual(bare);
  expect(withoutFinalizer(one, 'other')).toBe(one);
});

test('an object with a deletion timestamp is being deleted', () => {
  expect([isBeingDeleted(bare), isBeingDeleted({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })]).toEqual([
    false,
    true,
  ]);
});
