import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
// @ts-expect-error: a tool, in JavaScript
import { directImports } from '../../tools/direct-imports.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** All modules in the bundle of one module. */
async function modulesBundledWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unused',
    write: false,
    metafile: true,
    external: ['lmdb'],
    plugins: [directImports(root)],
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

test('a dynamic import of a package loads the modules of its names, not the whole package', async () => {
  const modules = await modulesBundledWith('packages/cluster/src/open-store.ts');
  expect(modules).toContain('packages/platform-nodejs/src/lmdb/lmdb-store.ts');
  expect(modules).toContain('packages/platform-nodejs/src/etcd/create-etcd-store.ts');
  expect(modules).not.toContain('packages/platform-nodejs/src/index.ts');
});
