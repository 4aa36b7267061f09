import { expect, test } from 'vitest';
import { moduleLevel } from './module-level.js';

test.each([
  { flag: '', level: 0 },
  { flag: 'round_trippers=8', level: 8 },
  { flag: 'round_*=6', level: 6 },
  { flag: 'other=9', level: 0 },
  { flag: 'round_trippers=8,r*=2', level: 2 },
  { flag: 'round.trippers=8', level: 0 },
  { flag: 'round?trippers=7', level: 7 },
])('--vmodule "$flag" means level $level for round_trippers', ({ flag, level }) => {
  expect(moduleLevel(flag, 'round_trippers')).toBe(level);
});

test.each(['x', '=3', 'a=b', 'a=1,b'])('--vmodule %s is refused', (flag) => {
  expect(() => moduleLevel(flag, 'round_trippers')).toThrow('expect comma-separated list of filename=N');
});
