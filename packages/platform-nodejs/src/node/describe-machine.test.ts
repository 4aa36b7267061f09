import { expect, test } from 'vitest';
import { podCapacity } from './describe-machine.js';

test.each([
  { options: {}, pods: 110 },
  { options: { maxPods: 7 }, pods: 7 },
  { options: { podsPerCore: 10 }, pods: 40 },
  { options: { podsPerCore: 10, maxPods: 30 }, pods: 30 },
  { options: { podsPerCore: 0, maxPods: 30 }, pods: 30 },
])('a machine with four CPUs takes $pods pods with $options', ({ options, pods }) => {
  expect(podCapacity(4, options)).toBe(pods);
});
