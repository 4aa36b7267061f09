import { expect, test } from 'vitest';
import { silentLogger } from './logger.js';

test('the silent logger stays silent through with', () => {
  expect(silentLogger.with({ pod: 'a' })).toBe(silentLogger);
  expect(silentLogger.info('message', { pod: 'a' })).toBeUndefined();
});
