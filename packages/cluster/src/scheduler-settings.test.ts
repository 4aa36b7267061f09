import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSchedulerPlugins } from './scheduler-settings.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-plugins-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(text: string) {
  const file = join(folder, `${Math.abs(hash(text))}.mjs`);
  await writeFile(file, text);
  return loadSchedulerPlugins([file]);
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 0);
}

describe('plugins of one’s own', () => {
  it.each([
    ['a plugin', "export default { name: 'A', filter() {} }", [['A', undefined]]],
    ['with a weight', "export default { plugin: { name: 'A', score() {} }, weight: 3 }", [['A', 3]]],
    [
      'several',
      "export default [{ name: 'A', filter() {} }, { name: 'B', bind() {} }]",
      [
        ['A', undefined],
        ['B', undefined],
      ],
    ],
  ])('a module may export %s', async (_what, text, expected) => {
    expect((await load(text)).map(({ plugin, weight }) => [plugin.name, weight])).toEqual(expected);
  });

  it.each([
    ['nothing', 'export const a = 1', 'the default export must be a plugin'],
    ['what has no name', 'export default { filter() {} }', 'the default export must be a plugin'],
    ['what does nothing', "export default { name: 'A' }", 'the default export must be a plugin'],
    ['a weight of 0', "export default { plugin: { name: 'A', score() {} }, weight: 0 }", 'must be a positive integer'],
    ['no JavaScript', 'export default {{', 'mjs: '],
  ])('refuses a module that exports %s', async (_what, text, why) => {
    await expect(load(text)).rejects.toThrow(why);
  });
});

it('reports a module that cannot be loaded in one line', async () => {
  const file = join(folder, 'without-suffix');
  await writeFile(file, "module.exports = require('./nothing-there');");
  const failure: Error = await loadSchedulerPlugins([file]).then(
    () => new Error('it was loaded'),
    (error: unknown) => error as Error,
  );
  expect(failure.message).toMatch(new RegExp(`^${file}: .*nothing-there.*$`));
});
