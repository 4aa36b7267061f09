import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { operatorFiles } from '../operator-template/operator-files.js';
import { operatorNames } from '../operator-template/operator-names.js';
import { requiredCoracle } from '../operator-template/required-coracle.js';
import { version } from '../version.js';
import { writeOperator } from './create-operator.js';

test.each([
  ['website', 'Website', 'website'],
  ['guest-book', 'GuestBook', 'guestBook'],
])('%s is an operator of %s', (name, kind, variable) => {
  expect(operatorNames(name, 'example.org')).toEqual({ name, kind, variable, group: 'example.org' });
});

test.each([
  ['Website', 'example.org', /not a valid name for an operator/],
  ['../x', 'example.org', /not a valid name for an operator/],
  ['website', 'example', /not an API group/],
])('the name %s in the group %s is invalid', (name, group, message) => {
  expect(() => operatorNames(name, group)).toThrow(message);
});

test('a new operator does not overwrite files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-operator-'));
  try {
    const files = await writeOperator(folder, 'guest-book', 'example.org');
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([...files, 'samples', 'src'].sort());
    await expect(writeOperator(folder, 'guest-book', 'example.org')).rejects.toThrow('is not empty');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  ['nothing', {}, `^${version}`],
  ['a version', { dependencies: { coracle: '~0.1.2' } }, '~0.1.2'],
  ['a version for development', { devDependencies: { coracle: '0.1.3' } }, '0.1.3'],
  [
    'a package file',
    { dependencies: { coracle: 'file:../coracle/coracle-0.1.0.tgz' } },
    'file:../../coracle/coracle-0.1.0.tgz',
  ],
])('a new operator in a project that requires %s of coracle requires the same', async (_, manifest, required) => {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-operator-'));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await mkdir(join(folder, 'guest-book'));
    expect(await requiredCoracle(join(folder, 'guest-book'))).toBe(required);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('KB-2 KB-3 a new operator has files to build, run, deploy and test it', () => {
  const files = operatorFiles(operatorNames('guest-book', 'example.org'), '^0.1.0');
  expect(Object.keys(files).sort()).toEqual([
    '.dockerignore',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'package.json',
    'samples/guest-book.yaml',
    'src/guest-book-controller.test.ts',
    'src/guest-book-controller.ts',
    'src/guest-book.ts',
    'src/main.ts',
    'src/manifests.ts',
    'tsconfig.json',
  ]);
  expect(parseYaml(files['samples/guest-book.yaml'] ?? '')).toEqual({
    apiVersion: 'example.org/v1',
    kind: 'GuestBook',
    metadata: { name: 'guest-book-sample' },
    spec: { message: 'hello', copies: 2 },
  });
});
