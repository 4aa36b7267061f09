import { mkdirSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '../../../node_modules/.cache');

/** Makes a program of a module beside this one, for `node`; gives back its path. It stands where native packages are found. */
export function bundle(name: string): string {
  mkdirSync(cache, { recursive: true });
  const outfile = join(mkdtempSync(join(cache, 'e2e-')), `${name}.mjs`);
  buildSync({
    entryPoints: [join(here, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['lmdb', '@grpc/grpc-js', '@peculiar/x509', 'ws'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
