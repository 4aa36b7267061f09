import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operatorNames } from '../operator-template/operator-names.js';
import { writeOperator } from './create-operator.js';

test.each([
  ['website', 'Website', 'website'],
  ['guest-book', 'GuestBook', 'guestBook'],
])('%s is an operator of %s', (name, kind, variable) => {
  expect(operatorNames(name, 'example.org')).toEqual({ name, kind, variable, group: 'example.org' });
});

test.each([
  ['Website', 'example.org', /no name for an operator/],
  ['../x', 'example.org', /no name for an operator/],
  ['website', 'example', /no API group/],
])('%s of %s is none', (name, group, message) => {
  expect(() => operatorNames(name, group)).toThrow(message);
});

test('a new operator is not written over something else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-operator-'));
  try {
    const files = await writeOperator(folder, 'guest-book', 'example.org');
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([...files, 'src'].sort());
    await expect(writeOperator(folder, 'guest-book', 'example.org')).rejects.toThrow('is not empty');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
