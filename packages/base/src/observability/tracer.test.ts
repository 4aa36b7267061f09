import { expect, test } from 'vitest';
import { noTracer } from './tracer.js';

test('a no-op tracer records nothing and accepts every step', () => {
  expect(noTracer.follows('pods')).toBe(false);
  expect(noTracer.step('apiserver.authorize', 'pods/default/web', { code: 200 })).toBeUndefined();
});
