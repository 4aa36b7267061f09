import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discoveryFiles } from './discovery-cache-file.js';
import { temporaryFolder } from './temporary-folder.fixture.js';

test('DI-9 discovery is cached in kubectl’s directory, without partial files', async () => {
  const folder = await temporaryFolder();
  const files = discoveryFiles('https://10.0.0.1:6443', folder);
  expect(await files.read('apps/v1/serverresources.json')).toBe(undefined);
  await Promise.all([1, 2, 3].map((n) => files.write('apps/v1/serverresources.json', JSON.stringify({ n }))));
  const content = await files.read('apps/v1/serverresources.json');
  expect(JSON.parse(content?.text ?? '').n).toBeGreaterThan(0);
  expect(content?.modifiedAt).toBeLessThanOrEqual(Date.now());
  expect(await readdir(join(folder, 'discovery', '10.0.0.1_6443', 'apps', 'v1'))).toEqual(['serverresources.json']);
});

test('a read-only directory disables the cache', async () => {
  const folder = await temporaryFolder();
  const files = discoveryFiles('https://x', join(folder, 'file\0with-nul'));
  await files.write('servergroups.json', '{}');
  expect(await files.read('servergroups.json')).toBe(undefined);
});
