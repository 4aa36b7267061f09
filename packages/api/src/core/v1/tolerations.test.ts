import { describe, expect, test } from 'vitest';
import type { Taint, Toleration } from '../../generated/types/core-v1.js';
import { tolerates, toleratesAny } from './tolerations.js';

const taint: Taint = { key: 'gpu', value: 'old', effect: 'NoSchedule' };
const rated = (value: string): Taint => ({ key: 'sla', value, effect: 'NoSchedule' });

describe('a toleration', () => {
  const cases: readonly { name: string; toleration: Toleration; taint?: Taint; bears: boolean }[] = [
    { name: 'of the same key, value and effect', toleration: { ...taint }, bears: true },
    { name: 'of any value', toleration: { key: 'gpu', operator: 'Exists' }, bears: true },
    { name: 'of any key', toleration: { operator: 'Exists' }, bears: true },
    { name: 'of any effect', toleration: { key: 'gpu', value: 'old' }, bears: true },
    { name: 'of another effect', toleration: { key: 'gpu', value: 'old', effect: 'NoExecute' }, bears: false },
    { name: 'of another key', toleration: { key: 'cpu', operator: 'Exists' }, bears: false },
    { name: 'of another value', toleration: { key: 'gpu', operator: 'Equal', value: 'new' }, bears: false },
    { name: 'without a value, of a taint with one', toleration: { key: 'gpu' }, bears: false },
    {
      name: 'without a value, of a taint without one',
      toleration: { key: 'gpu' },
      taint: { key: 'gpu', effect: 'NoSchedule' },
      bears: true,
    },
    { name: 'of more', toleration: { key: 'sla', operator: 'Gt', value: '900' }, taint: rated('950'), bears: true },
    {
      name: 'of more than as much',
      toleration: { key: 'sla', operator: 'Gt', value: '900' },
      taint: rated('900'),
      bears: false,
    },
    { name: 'of less', toleration: { key: 'sla', operator: 'Lt', value: '-5' }, taint: rated('-6'), bears: true },
    {
      name: 'of less than what is more',
      toleration: { key: 'sla', operator: 'Lt', value: '9' },
      taint: rated('10'),
      bears: false,
    },
    {
      name: 'of a number, of a taint that has none',
      toleration: { key: 'sla', operator: 'Gt', value: '1' },
      taint: rated('x'),
      bears: false,
    },
    { name: 'of a way that there is not', toleration: { key: 'gpu', operator: 'Like', value: 'old' }, bears: false },
  ];
  test.each(cases)('$name: $bears', ({ toleration, taint: borne = taint, bears }) => {
    expect(tolerates(toleration, borne)).toBe(bears);
  });
});

test('one matching toleration of several is enough', () => {
  expect(toleratesAny([{ key: 'x' }, { operator: 'Exists' }], taint)).toBe(true);
  expect(toleratesAny([{ key: 'x' }], taint)).toBe(false);
  expect(toleratesAny(undefined, taint)).toBe(false);
});
