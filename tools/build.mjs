#!/usr/bin/env node
// Bundles the command line and the library into apps/coracle/dist: an entry each, and the chunks that are loaded when
// they are needed.
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'apps/coracle/dist');
rmSync(outdir, { recursive: true, force: true });

/** @type {import('esbuild').BuildOptions} */
const options = {
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  // Less text to read at every start; names stay, for stack traces and profiles.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  // A native module: it cannot be bundled.
  external: ['lmdb'],
  banner: {
    // Bundled CommonJS packages ask for `require`.
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  metafile: true,
  absWorkingDir: root,
  logLevel: 'warning',
};

// Apart from each other: chunks that they shared would hold what either needs, and every start would read all of it.
const built = await Promise.all([
  build({ ...options, entryPoints: { coracle: join(root, 'apps/coracle/src/main.ts') } }),
  build({ ...options, entryPoints: { library: join(root, 'apps/coracle/src/library.ts') } }),
]);

chmodSync(join(outdir, 'coracle.js'), 0o755);
copyFileSync(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
const licenses = thirdPartyLicenses(
  root,
  built.map(({ metafile }) => metafile),
);
writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licenses);
