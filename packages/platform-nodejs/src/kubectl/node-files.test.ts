import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TarEntry } from '@coracle/client';
import { extract } from '@coracle/kubectl';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { nodeFiles } from './node-files.js';

async function* archive(...entries: readonly TarEntry[]): AsyncGenerator<TarEntry> {
  yield* entries;
}

function file(name: string, text: string): TarEntry {
  return { name, type: 'file', mode: 0o644, modifiedAtSeconds: 0, data: new TextEncoder().encode(text) };
}

test('an archive is written only below its target, whatever its names and links, or existing links', async () => {
  const folder = await temporaryFolder();
  const base = join(folder, 'target');
  const outside = join(folder, 'outside');
  mkdirSync(base);
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'old');
  symlinkSync(outside, join(base, 'link'));
  symlinkSync(join(outside, 'precious'), join(base, 'file-link'));
  mkdirSync(join(base, 'own'));
  symlinkSync('own', join(base, 'own-link'));
  const skipped: string[] = [];

  await extract(
    nodeFiles(),
    archive(
      file('data/a/b', 'good'),
      file('data/../../outside/precious', 'evil'),
      file('/etc/evil', 'evil'),
      { name: 'data/made-link', type: 'symlink', target: '../outside' },
      file('data/made-link/precious', 'harmless: made-link is a folder'),
      file('data/link/precious', 'evil'),
      file('data/link/new/deep', 'evil'),
      file('data/file-link', 'evil'),
      file('data/own-link/c', 'good'),
    ),
    { root: 'data', base, onSkipped: (text) => skipped.push(text) },
  );

  expect(readdirSync(outside)).toEqual(['precious']);
  expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('old');
  expect(readFileSync(join(base, 'a/b'), 'utf8')).toBe('good');
  expect(readFileSync(join(base, 'own/c'), 'utf8')).toBe('good');
  expect(skipped).toEqual([
    expect.stringContaining('"data/../../outside/precious" is outside target destination'),
    expect.stringContaining('"/etc/evil" is outside'),
    expect.stringContaining('skipping symlink'),
    expect.stringContaining('"data/link/precious" is outside'),
    expect.stringContaining('"data/link/new/deep" is outside'),
    expect.stringContaining('"data/file-link" is outside'),
  ]);
});
