import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { nodeLogs } from './node-logs.js';

test('logs of the machine: files, folders, and links that stay below it', async () => {
  const folder = await temporaryFolder();
  const root = join(folder, 'log');
  await mkdir(join(root, 'pods'), { recursive: true });
  await writeFile(join(root, 'syslog'), 'hello\n');
  await writeFile(join(folder, 'secret'), 'no');
  await symlink('syslog', join(root, 'messages'));
  await symlink('../secret', join(root, 'out'));
  const logs = nodeLogs(root);
  const textAt = async (path: string) => {
    const entry = await logs.open(path);
    if (entry?.kind !== 'file') return entry;
    const pieces: Uint8Array[] = [];
    for await (const piece of entry.pieces) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  expect(await textAt('')).toEqual({ kind: 'folder', names: ['messages', 'out', 'pods/', 'syslog'] });
  expect([await textAt('syslog'), await textAt('messages')]).toEqual(['hello\n', 'hello\n']);
  for (const path of ['out', '../secret', 'pods/../../secret', 'none', 'syslog/x'])
    expect([path, await textAt(path)]).toEqual([path, undefined]);
});
