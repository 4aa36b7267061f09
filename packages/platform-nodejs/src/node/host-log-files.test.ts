import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostLogFiles } from './host-log-files.js';

function folderWithLog() {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-log-links-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'pods/app/0.log');
  mkdirSync(join(folder, 'pods/app'), { recursive: true });
  writeFileSync(log, 'hello\n');
  return { log, links: join(folder, 'containers'), link: join(folder, 'containers/web_default_app-c0.log') };
}

test('a link leads to its log, has a folder of its own, and may be replaced', async () => {
  const { log, link } = folderWithLog();
  await hostLogFiles.link(link, log);
  await hostLogFiles.link(link, log);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(link, 'utf8')).toBe('hello\n');
  expect(await hostLogFiles.target(link)).toBe(log);
  expect(await hostLogFiles.target(log)).toBeUndefined();
});

test('there is no link to a log that is missing', async () => {
  const { log, links, link } = folderWithLog();
  await hostLogFiles.link(link, `${log}.1`);
  expect(await hostLogFiles.list(links)).toEqual([]);
});

test('a link to a log that is gone has no size and can be removed', async () => {
  const { log, links, link } = folderWithLog();
  await hostLogFiles.link(link, log);
  expect(await hostLogFiles.size(link)).toBe(6);
  await hostLogFiles.remove(log);
  expect(await hostLogFiles.size(link)).toBeUndefined();
  await hostLogFiles.remove(link);
  expect(readdirSync(links)).toEqual([]);
});
