import { expect, test } from 'vitest';
import { planRotation, rotationStamp } from './plan-rotation.js';

const names = ['0.log', '0.log.1.gz', '0.log.2', '0.log.3', '0.log.4.tmp', '1.log', '10.log.1'];

test.each([
  { maxFiles: 5, remove: ['0.log.4.tmp'], compress: ['0.log.2'] },
  { maxFiles: 4, remove: ['0.log.4.tmp', '0.log.1.gz'], compress: ['0.log.2'] },
  { maxFiles: 3, remove: ['0.log.4.tmp', '0.log.1.gz', '0.log.2'], compress: [] },
  { maxFiles: 2, remove: ['0.log.4.tmp', '0.log.1.gz', '0.log.2', '0.log.3'], compress: [] },
])('with $maxFiles files', ({ maxFiles, remove, compress }) => {
  expect(planRotation('0.log', names, maxFiles)).toEqual({ remove, compress });
});

test('files are named after the second', () => {
  expect(rotationStamp(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe('20260102-030405');
});
