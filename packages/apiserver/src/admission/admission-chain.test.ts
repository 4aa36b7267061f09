import { expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.js';
import { AdmissionChain } from './admission-chain.js';

const create = { operation: 'CREATE' } as AdmissionAttributes;

function noting(name: string, notes: string[], more: Partial<AdmissionPlugin> = {}): AdmissionPlugin {
  return {
    name,
    handles: ({ operation }) => operation === 'CREATE',
    mutate: async () => void notes.push(`${name} mutates`),
    validate: () => void notes.push(`${name} validates`),
    ...more,
  };
}

test('ADM-01 ADM-02 every plugin that cares mutates, in order, before the first one validates', async () => {
  const notes: string[] = [];
  const idle = noting('idle', notes, { handles: () => false });
  const chain = new AdmissionChain([noting('a', notes), idle, noting('b', notes)]);
  await chain.mutate(create);
  await chain.validate(create);
  expect(notes).toEqual(['a mutates', 'b mutates', 'a validates', 'b validates']);
});

test('ADM-01 a refusal ends it', async () => {
  const notes: string[] = [];
  const refusing = noting('no', notes, {
    mutate: () => {
      throw new Error('refused');
    },
  });
  const chain = new AdmissionChain([noting('a', notes), refusing, noting('b', notes)]);
  await expect(chain.mutate(create)).rejects.toThrow('refused');
  expect(notes).toEqual(['a mutates']);
});
