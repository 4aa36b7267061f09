#!/usr/bin/env node
// Bundles the command line and the library, for Node.js and for browsers, into apps/coracle/dist: an entry each, and the
// chunks that are loaded when they are needed. tools/build-types.mjs adds the type declarations.
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'apps/coracle/dist');
rmSync(outdir, { recursive: true, force: true });

/** @type {import('esbuild').BuildOptions} */
const shared = {
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  // Less text to read at every start; names stay, for stack traces and profiles.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
  absWorkingDir: root,
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const forNodejs = {
  ...shared,
  platform: 'node',
  target: 'node20',
  // A native module: it cannot be bundled.
  external: ['lmdb'],
  banner: {
    // Bundled CommonJS packages ask for `require`.
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/**
 * The library asks for the cluster when somebody starts one. It is a bundle of its own, with a client of its own: in a
 * bundle with it, everything that both have would be loaded by whoever wants a client alone.
 * @type {import('esbuild').Plugin}
 */
const clusterApart = {
  name: 'cluster-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@coracle\/cluster$/ }, () => ({ path: './cluster.js', external: true })),
};

/**
 * kubectl is a bundle of its own for the same reason: it starts for every command.
 * @type {import('esbuild').Plugin}
 */
const kubectlApart = {
  name: 'kubectl-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/kubectl-main\.js$/ }, () => ({ path: './kubectl.js', external: true })),
};

// Apart from each other: chunks that they shared would hold what either needs, and every start would read all of it.
const built = await Promise.all([
  build({
    ...forNodejs,
    entryPoints: { coracle: join(root, 'apps/coracle/src/main.ts') },
    plugins: [kubectlApart],
  }),
  build({ ...forNodejs, entryPoints: { kubectl: join(root, 'apps/coracle/src/kubectl-main.ts') } }),
  build({
    ...forNodejs,
    entryPoints: { library: join(root, 'apps/coracle/src/library.ts') },
    plugins: [clusterApart],
  }),
  build({ ...forNodejs, entryPoints: { cluster: join(root, 'packages/cluster/src/index.ts') } }),
  // A container runtime starts it for every pod: one file, in the form that Node.js starts fastest.
  build({
    ...forNodejs,
    entryPoints: { 'coracle-cni': join(root, 'apps/coracle/src/coracle-cni.ts') },
    format: 'cjs',
    splitting: false,
    minify: true,
    sourcemap: false,
    outExtension: { '.js': '.cjs' },
    banner: {},
  }),
  build({
    ...shared,
    entryPoints: { browser: join(root, 'apps/coracle/src/browser.ts') },
    platform: 'browser',
    target: 'es2022',
  }),
]);

for (const name of ['coracle.js', 'coracle-cni.cjs', 'kubectl.js']) chmodSync(join(outdir, name), 0o755);
copyFileSync(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
const licenses = thirdPartyLicenses(
  root,
  built.map(({ metafile }) => metafile),
);
writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licenses);
