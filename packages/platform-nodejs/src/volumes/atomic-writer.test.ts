import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VolumeFile } from '@coracle/kubelet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { writeAtomically } from './atomic-writer.js';

function filesOf(texts: Record<string, string>, mode = 0o644): Map<string, VolumeFile> {
  const entries = Object.entries(texts).map(
    ([path, text]) => [path, { mode, content: () => Buffer.from(text) }] as const,
  );
  return new Map(entries);
}

async function visible(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('..')).sort();
}

describe('files that change atomically', () => {
  test('are laid out as the kubelet lays them out', async () => {
    const folder = await temporaryFolder();
    await writeAtomically(folder, filesOf({ colour: 'red', 'dir/size': 'big' }, 0o400), {
      now: () => new Date('2026-01-02T03:04:05Z'),
    });
    const data = await readlink(join(folder, '..data'));
    expect(data).toMatch(/^\.\.2026_01_02_03_04_05\.\d+$/);
    expect(await readlink(join(folder, 'colour'))).toBe('..data/colour');
    expect(await readlink(join(folder, 'dir'))).toBe('..data/dir');
    expect(await readFile(join(folder, 'dir/size'), 'utf8')).toBe('big');
    expect((await stat(join(folder, 'colour'))).mode & 0o777).toBe(0o400);
  });

  test('stay as they are while nothing changes', async () => {
    const folder = await temporaryFolder();
    await writeAtomically(folder, filesOf({ a: '1' }));
    const first = await readlink(join(folder, '..data'));
    await writeAtomically(folder, filesOf({ a: '1' }));
    expect(await readlink(join(folder, '..data'))).toBe(first);
    await writeAtomically(folder, filesOf({ a: '1' }, 0o600));
    expect(await readlink(join(folder, '..data'))).toBe(first);
    await writeAtomically(folder, filesOf({ a: '1' }, 0o777));
    expect(await readlink(join(folder, '..data'))).not.toBe(first);
  });

  test('have the last content and nothing else, whatever existed before', async () => {
    const names = fc.constantFrom('a', 'b', 'dir/x', 'dir/y', 'e/f/g');
    const payload = fc.dictionary(names, fc.string(), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { minLength: 1, maxLength: 4 }), async (versions) => {
        const folder = await temporaryFolder();
        for (const version of versions) await writeAtomically(folder, filesOf(version));
        const last = versions.at(-1) ?? {};
        for (const [path, text] of Object.entries(last)) expect(await readFile(join(folder, path), 'utf8')).toBe(text);
        expect(await visible(folder)).toEqual([...new Set(Object.keys(last).map((path) => path.split('/')[0]))].sort());
        expect((await readdir(folder)).filter((name) => name.startsWith('..'))).toHaveLength(2);
      }),
      { numRuns: 30 },
    );
  });

  test('remains of an interrupted write are removed', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, '..2020_01_01_00_00_00.1'));
    await symlink('..2020_01_01_00_00_00.1', join(folder, '..data_tmp'));
    await writeAtomically(folder, filesOf({ a: '1' }));
    expect((await readdir(folder)).sort()).toEqual([expect.stringMatching(/^\.\.20(?!20_)/), '..data', 'a']);
  });

  test('other files stay', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'own'), '');
    await writeAtomically(folder, filesOf({ a: '1' }));
    expect(await visible(folder)).toEqual(['a', 'own']);
  });

  test.each(['/etc/passwd', '../x', 'a/../../x', '..data', '', 'x'.repeat(300)])(
    'the path %j is refused',
    async (path) => {
      const folder = await temporaryFolder();
      await expect(writeAtomically(folder, filesOf({ [path]: '1' }))).rejects.toThrow('invalid path');
    },
  );
});
