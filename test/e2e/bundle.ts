import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const cache = join(root, 'node_modules/.cache');

/**
 * Bundles a module into a program for `node`; returns its path. It is where native packages are found, and as deep below
 * the root as this file: modules find the program of the tree by that.
 */
export function bundle(module: URL): string {
  const source = fileURLToPath(module);
  mkdirSync(cache, { recursive: true });
  const outfile = join(cache, `e2e-${randomUUID().slice(0, 8)}-${basename(source, '.ts')}.mjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    alias: { coracle: join(root, 'apps/coracle/src/library.ts') },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['lmdb', '@grpc/grpc-js', '@peculiar/x509', 'ws'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
