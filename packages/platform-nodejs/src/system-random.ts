import type { Random } from '@coracle/base';

/** Random numbers from the operating system, good enough for tokens and identifiers; drawn in batches, because one call costs more than a hundred numbers. */
export function createSystemRandom(): Random {
  const pool = new Uint32Array(256);
  let used = pool.length;
  const draw = () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    return pool[used++] as number;
  };
  return {
    // 53 bits, as many as a number holds.
    next: () => ((draw() >>> 5) * 67_108_864 + (draw() >>> 6)) / 9_007_199_254_740_992,
  };
}
