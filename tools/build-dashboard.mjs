#!/usr/bin/env node
// Bundles the dashboard's page into a folder: a small first page, and what is loaded when it is needed. Each file has a
// compressed copy. `node tools/build-dashboard.mjs FOLDER` builds it alone.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = join(root, 'apps/dashboard/src');

/** @returns {Promise<import('esbuild').Metafile>} what went into it */
export async function buildDashboard(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  const assets = join(outdir, 'assets');
  const { metafile } = await build({
    entryPoints: {
      main: join(sources, 'main.tsx'),
      worker: join(sources, 'worker.ts'),
      style: join(sources, 'static/style.css'),
    },
    outdir: assets,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', __STEP_FILES__: JSON.stringify(stepFilesOf()) },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'file' },
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  const entry = (source) =>
    basename(
      Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `apps/dashboard/src/${source}`)[0],
    );
  const page = readFileSync(join(sources, 'static/index.html'), 'utf8')
    .replace('%MAIN%', entry('main.tsx'))
    .replace('%WORKER%', entry('worker.ts'))
    .replace('%STYLE%', entry('static/style.css'))
    .replace('%PRELOAD%', preloads(metafile, entry('main.tsx')));
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'index.html'), page);
  for (const file of filesIn(outdir)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  return metafile;
}

/** The files of the steps that a pod passes, by the names of the steps, as the document of the flow has them. */
export function stepFilesOf() {
  const flow = readFileSync(join(root, 'docs/flows/create-a-pod.md'), 'utf8');
  const rows = [...flow.matchAll(/^\| `(?:\w+: )?([\w.]+)` \| `([^`]+)` \|/gm)];
  return Object.fromEntries(rows.map(([, name, file]) => [name, file]));
}

/** What the first script imports is loaded with the page, not after the script has been read. */
function preloads({ outputs }, name) {
  const [, main] = Object.entries(outputs).find(([path]) => basename(path) === name);
  return main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/assets/${basename(path)}" />`)
    .join('\n    ');
}

function filesIn(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outdir = process.argv[2] ?? join(root, 'apps/coracle/dist/dashboard');
  await buildDashboard(outdir);
  console.log(`built ${relative(root, outdir)}`);
}
