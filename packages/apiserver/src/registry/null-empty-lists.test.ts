import { expect, test } from 'vitest';
import { nullEmptyLists } from './null-empty-lists.js';

test('empty lists become null, wherever they are', () => {
  const object = { metadata: {}, spec: { drivers: [{ keys: [] }, { keys: ['a'] }] }, rules: [] };
  nullEmptyLists('rules', 'spec.drivers', 'spec.drivers.keys')(object);
  expect(object).toEqual({ metadata: {}, spec: { drivers: [{ keys: null }, { keys: ['a'] }] }, rules: null });
});

test('what is not there stays away', () => {
  const object = { metadata: {} };
  nullEmptyLists('spec.drivers.keys')(object);
  expect(object).toEqual({ metadata: {} });
});
