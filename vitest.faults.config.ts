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
  include: ['packages/controllers/src/{deployment,replicaset}/*-controller.test.ts', 'test/faults/*.test.ts'],
  exclude: ['**/node_modules/**'],
};

export default config;
