import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Examples and guides import what users import; here it is not built first. */
const published = {
  find: /^coracle$/,
  replacement: fileURLToPath(new URL('test/coracle.ts', import.meta.url)),
};

export default defineConfig({
  resolve: { alias: [published] },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', 'test/faults/**'],
    pool: 'threads',
    // Modules hold no mutable state (a rule of this repository), so files of one worker may share them.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 20_000,
    // Real programs on a busy machine miss a deadline now and then. CI tries such a test again and names it.
    retry: process.env['CI'] ? 2 : 0,
    hookTimeout: 60_000,
    reporters: ['default', './tools/counting-reporter.mjs'],
  },
});
