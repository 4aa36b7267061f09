import { expect, test } from 'vitest';
import { noTracer } from './tracer.js';

test('a tracer that goes nowhere follows nothing and takes every step', () => {
  expect(noTracer.follows('pods')).toBe(false);
  expect(noTracer.step('apiserver.authorize', 'pods/default/web', { code: 200 })).toBeUndefined();
});
