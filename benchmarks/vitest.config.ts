import { defineConfig } from 'vitest/config';

/** Where `tools/bench.mjs` has put the bundles. */
const folder = process.env['BENCHMARKS'] ?? 'benchmarks';

export default defineConfig({
  test: {
    benchmark: { include: [`${folder}/*.bench.{ts,mjs}`], exclude: [] },
    pool: 'threads',
    maxWorkers: 1,
  },
});
