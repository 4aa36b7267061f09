import { expect, test } from 'vitest';
import { omitFailedWrites } from './lmdb-output.js';

test('the stacks of writes that failed on a full disk are not printed; everything else is', () => {
  const printed: unknown[][] = [];
  const target = { error: (...values: unknown[]) => void printed.push(values) };
  omitFailedWrites(target);
  target.error(Object.assign(new Error('Input/output error'), { code: 5 }));
  target.error(Object.assign(new Error('No space left on device'), { code: 28 }));
  const other = Object.assign(new Error('no file'), { code: 'ENOENT' });
  target.error(other);
  target.error('text', 5);
  expect(printed).toEqual([[other], ['text', 5]]);
});
