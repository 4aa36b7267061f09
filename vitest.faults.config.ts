import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import plain from './vitest.config.js';

/** Behaviour tests a second time, on clusters with mild faults at every seam. */
const withFaults = {
  find: /^@coracle\/cluster$/,
  replacement: fileURLToPath(new URL('test/faults/cluster.ts', import.meta.url)),
};

const config = mergeConfig(plain, defineConfig({ resolve: { alias: [withFaults] } }));
config.test = {
  ...config.test,
  include: [
    'packages/controllers/src/*/*.test.ts',
    'packages/scheduler/src/**/*.test.ts',
    'packages/simulation/src/**/*.test.ts',
    'test/integration/{autoscaling,node-failure,streams}.test.ts',
    'test/faults/*.test.ts',
  ],
  exclude: ['**/node_modules/**'],
  testTimeout: 60_000,
};

export default config;
