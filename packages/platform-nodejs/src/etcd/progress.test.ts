import { expect, test } from 'vitest';
import { answersProgressInOrder } from './progress.js';

test.each([
  ['3.3.27', false],
  ['3.4.23', false],
  ['3.4.25', true],
  ['3.5.7', false],
  ['3.5.8', true],
  ['3.5.21', true],
  ['3.6.0', true],
  ['4.0.0-alpha', true],
  ['', false],
])('etcd %s answers a progress request in order with events: %s', (version, want) => {
  expect(answersProgressInOrder(version)).toBe(want);
});
