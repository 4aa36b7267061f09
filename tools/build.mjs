#!/usr/bin/env node
// Bundles the command line and the library, for Node.js and for browsers, into apps/coracle/dist. Libraries are
// modules: an entry each, and the chunks that are loaded when they are needed. Programs are packs of chunks, with a
// launcher each (docs/decisions/0017-packs-and-code-caches.md). tools/build-types.mjs adds the type declarations.
import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { directImports } from './direct-imports.mjs';
import { packChunks } from './pack-chunks.mjs';
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
  plugins: [directImports(root)],
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
    // Bundled CommonJS packages use `require`.
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/**
 * The library loads the cluster when one is started. It is a bundle of its own, with a client of its own: in a
 * bundle with it, everything that both have would be loaded by a program that needs a client alone.
 * @type {import('esbuild').Plugin}
 */
const clusterApart = {
  name: 'cluster-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@coracle\/cluster$/ }, () => ({ path: './cluster.mjs', external: true })),
};

/** @type {import('esbuild').BuildOptions} */
const asModules = { ...forNodejs, outExtension: { '.js': '.mjs' } };

/**
 * A program that starts for every command line: one file, in the form that Node.js starts fastest.
 * @type {import('esbuild').BuildOptions}
 */
const asScript = {
  ...forNodejs,
  format: 'cjs',
  splitting: false,
  minify: true,
  sourcemap: false,
  banner: {},
};

/** Commands that have a file of their own have a code cache of their own. */
const commandsIn = (folder) =>
  readdirSync(join(root, folder)).flatMap((name) =>
    /\.(test|fixture)\.ts$/.test(name) ? [] : name.replace('.ts', ''),
  );

async function buildPack({ program, main, commands }) {
  const result = await build({
    ...forNodejs,
    entryPoints: { [program]: join(root, main) },
    sourcemap: false,
    banner: {},
    write: false,
  });
  await packChunks(result, {
    file: join(outdir, `${program}.pack`),
    entry: `${program}.js`,
    words: commandsIn(commands),
  });
  return result;
}

// Apart from each other: chunks that they shared would hold what either needs, and every start would read all of it.
const built = await Promise.all([
  build({
    ...asScript,
    entryPoints: {
      coracle: join(root, 'apps/coracle/src/main.ts'),
      kubectl: join(root, 'apps/coracle/src/kubectl.ts'),
    },
    banner: { js: '#!/usr/bin/env node' },
  }),
  buildPack({ program: 'coracle', main: 'apps/coracle/src/coracle-main.ts', commands: 'apps/coracle/src/commands' }),
  buildPack({
    program: 'kubectl',
    main: 'apps/coracle/src/kubectl-main.ts',
    commands: 'packages/kubectl/src/command-table',
  }),
  build({
    ...asModules,
    entryPoints: { library: join(root, 'apps/coracle/src/library.ts') },
    plugins: [clusterApart, ...asModules.plugins],
  }),
  build({ ...asModules, entryPoints: { cluster: join(root, 'packages/cluster/src/index.ts') } }),
  build({
    ...asScript,
    entryPoints: { 'coracle-cni': join(root, 'apps/coracle/src/coracle-cni.ts') },
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...shared,
    outExtension: { '.js': '.mjs' },
    entryPoints: { browser: join(root, 'apps/coracle/src/browser.ts') },
    platform: 'browser',
    target: 'es2022',
  }),
  buildDashboard(join(outdir, 'dashboard')).then((metafile) => ({ metafile })),
  // For both: it takes a client, and the client knows where it runs.
  build({
    ...shared,
    outExtension: { '.js': '.mjs' },
    entryPoints: { 'kubectl-library': join(root, 'apps/coracle/src/kubectl-library.ts') },
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
// The programs are scripts; the libraries say by their names that they are modules.
writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
