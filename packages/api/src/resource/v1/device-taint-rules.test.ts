import { expect, test } from 'vitest';
import { selectsDevice } from './device-taint-rules.js';

const taint = { key: 'broken', effect: 'NoExecute' };
const device = { driver: 'd', pool: 'p', device: 'a' };

test.each([
  ['no selector', undefined, false],
  ['an empty selector', {}, true],
  ['its driver', { driver: 'd' }, true],
  ['another driver', { driver: 'x' }, false],
  ['its pool', { driver: 'd', pool: 'p' }, true],
  ['another pool', { driver: 'd', pool: 'x' }, false],
  ['its name', { driver: 'd', pool: 'p', device: 'a' }, true],
  ['another name', { device: 'b' }, false],
])('%s', (_, deviceSelector, selected) => {
  const rule = { metadata: { name: 'r' }, spec: { taint, ...(deviceSelector && { deviceSelector }) } };
  expect(selectsDevice(rule, device)).toBe(selected);
});
