import { expect, test } from 'vitest';
import { Activity } from './activity.js';

test('is busy until everything that was begun has ended, each once', () => {
  const activity = new Activity();
  const first = activity.begin();
  const second = activity.begin();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(activity.busy).toBe(true);
  second[Symbol.dispose]();
  expect(activity.busy).toBe(false);
});
