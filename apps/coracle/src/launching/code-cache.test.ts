import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CodeCache } from './code-cache.js';
import { ReadBuffer } from './read-buffer.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'coracle-code-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () =>
  new CodeCache({ directory: join(directory, 'cache'), name: 'coracle-up', key: 'build 1', buffer: new ReadBuffer() });
const code = (text: string) => new Map([[`${text}.js`, Buffer.from(`code of ${text}`)]]);
const found = (cache: CodeCache, chunk: string) => cache.find(chunk)?.toString();

test('a chunk that is compiled later is added to the saved ones, in the same run and the next', () => {
  const cache = open();
  expect(cache.isComplete).toBe(false);
  cache.save(code('start'), true);
  expect(cache.isComplete).toBe(true);
  cache.save(code('late'), false);
  for (const one of [cache, open()]) {
    expect(one.isComplete).toBe(true);
    expect(found(one, 'start.js')).toBe('code of start');
    expect(found(one, 'late.js')).toBe('code of late');
  }
});

test('the code of a failed run is not complete', () => {
  open().save(code('start'), false);
  const next = open();
  expect(next.isComplete).toBe(false);
  expect(found(next, 'start.js')).toBe('code of start');
});
