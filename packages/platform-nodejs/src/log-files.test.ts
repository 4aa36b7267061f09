import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { logFolder } from './log-files.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-logs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'pods'));
writeFileSync(join(folder, 'pods/web.log'), 'one\ntwo\n'.repeat(50_000));
writeFileSync(join(folder, 'wtmp'), Buffer.from([1, 0, 2]));

/** Reads like a slow client: each chunk is processed before the next one is requested. */
async function readSlowly(path: string): Promise<string> {
  const entry = await logFolder(folder).open(path);
  if (entry?.kind !== 'file') throw new Error('no file');
  return await new Promise((resolve) => {
    let text = '';
    let goOn = () => {};
    entry.stream.open({
      write: (bytes) => {
        text += Buffer.from(bytes).toString();
        setImmediate(() => goOn());
        return false;
      },
      end: () => resolve(text),
      onDrain: (listener) => {
        goOn = listener;
      },
      onClose: () => {},
    });
  });
}

describe('CHAIN-18 the folder of logs', () => {
  test('shows what is in it', async () => {
    expect(await logFolder(folder).open('')).toEqual({ kind: 'folder', names: ['pods/', 'wtmp'] });
    expect(await logFolder(folder).open('nothing')).toBeUndefined();
    expect(await logFolder(folder).open('wtmp')).toMatchObject({ kind: 'file', isText: false });
  });

  test('sends a file as fast as it is read', async () => {
    expect(await readSlowly('pods/web.log')).toBe('one\ntwo\n'.repeat(50_000));
  });
});
