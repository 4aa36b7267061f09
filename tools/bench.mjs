#!/usr/bin/env node
// Runs the benchmarks as bundles, which is how the package ships: unbundled modules reach each other through getters,
// and that takes a sixth of the time of what is measured. Arguments choose files by a part of their name; the name of a
// folder with a program (`scheduler`, `admission`, `namespaces`, `autoscaling`) runs that, with the arguments after it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const names = process.argv.slice(2);
const programs = ['scheduler', 'admission', 'namespaces', 'autoscaling'];
if (programs.includes(names[0])) process.exit(await runProgram(names[0], names.slice(1)));
const sources = readdirSync(join(root, 'benchmarks')).filter(
  (name) => name.endsWith('.bench.ts') && (names.length === 0 || names.some((part) => name.includes(part))),
);
// Inside of the repository, so that what is not bundled is found.
const folder = mkdtempSync(join(root, 'node_modules/.bench-'));
try {
  await bundle(
    sources.map((name) => join(root, 'benchmarks', name)),
    folder,
  );
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(root, 'benchmarks/vitest.config.ts');
  const { status } = spawnSync(process.execPath, [vitest, 'bench', '--run', '--config', config], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, BENCHMARKS: join('node_modules', basename(folder)) },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundle(entryPoints, outdir) {
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['vitest', 'lmdb'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** A benchmark that is a separate program: it takes minutes, and prints its results itself. */
async function runProgram(name, args) {
  const folder = mkdtempSync(join(root, 'node_modules/.bench-'));
  try {
    await bundle([join(root, 'benchmarks', name, 'main.ts')], folder);
    const { status } = spawnSync(process.execPath, [join(folder, 'main.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
    });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
