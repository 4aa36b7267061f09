#!/usr/bin/env node
// Prints the figures of the service proxy with 5,000 services and 50,000 endpoints, in a network namespace of its own,
// of cluster DNS, and of ADD of the network plugin. Needs root, iproute2, nftables and a build (npm run build).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(root, 'node_modules', '.figures-'));
const namespace = `coracle-figures-${process.pid}`;
const scripts = join(root, 'benchmarks/network-figures');
try {
  await build({
    entryPoints: ['service-proxy.ts', 'cluster-dns.ts'].map((name) => join(scripts, name)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
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
  const run = (...args) => execFileSync(process.execPath, args, { stdio: 'inherit' });
  run(join(folder, 'service-proxy.mjs'), namespace, join(scripts, 'connect.mjs'));
  run(join(folder, 'cluster-dns.mjs'), join(scripts, 'dns-client.mjs'));
  run(join(scripts, 'plugin-add.mjs'));
} finally {
  execFileSync('ip', ['netns', 'del', namespace]);
  rmSync(folder, { recursive: true, force: true });
}
