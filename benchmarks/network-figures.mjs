#!/usr/bin/env node
// Prints the figures of the service proxy with 5,000 services and 50,000 endpoints, in a network namespace of its own.
// Needs root, iproute2 and nftables.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(root, 'node_modules', '.figures-'));
const namespace = `coracle-figures-${process.pid}`;
const bundle = join(folder, 'service-proxy.mjs');
try {
  await build({
    entryPoints: [join(root, 'benchmarks/network-figures/service-proxy.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['lmdb'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  execFileSync('ip', ['netns', 'add', namespace]);
  execFileSync(process.execPath, [bundle, namespace], { stdio: 'inherit' });
} finally {
  execFileSync('ip', ['netns', 'del', namespace]);
  rmSync(folder, { recursive: true, force: true });
}
