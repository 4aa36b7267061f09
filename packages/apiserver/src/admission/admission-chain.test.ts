import { deepFreeze } from '@coracle/base';
import { expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.js';
import { AdmissionChain } from './admission-chain.js';
import { plainVersion } from './plugins/admit.fixture.js';

const requested = plainVersion('', 'pods', 'Pod');
const create = { operation: 'CREATE', requested } as AdmissionAttributes;

function noting(name: string, notes: string[], more: Partial<AdmissionPlugin> = {}): AdmissionPlugin {
  return {
    name,
    handles: ({ operation }) => operation === 'CREATE',
    mutate: async () => {
      notes.push(`${name} mutates`);
      return undefined;
    },
    validate: () => void notes.push(`${name} validates`),
    ...more,
  };
}

test('ADM-01 ADM-02 every plugin that handles the write mutates, in order, before the first one validates', async () => {
  const notes: string[] = [];
  const idle = noting('idle', notes, { handles: () => false });
  const chain = new AdmissionChain([noting('a', notes), idle, noting('b', notes)]);
  await chain.mutate(create);
  await chain.validate(create);
  expect(notes).toEqual(['a mutates', 'b mutates', 'a validates', 'b validates']);
});

test('ADM-01 a rejection ends the chain', async () => {
  const notes: string[] = [];
  const refusing = noting('no', notes, {
    mutate: () => {
      throw new Error('refused');
    },
  });
  const chain = new AdmissionChain([noting('a', notes), refusing, noting('b', notes)]);
  await expect(async () => chain.mutate(create)).rejects.toThrow('refused');
  expect(notes).toEqual(['a mutates']);
});

test('each plugin gets the object that the previous one returned, and its own argument stays unchanged', async () => {
  const labelling = (name: string): AdmissionPlugin => ({
    name,
    handles: () => true,
    mutate: ({ object }) =>
      object && { ...object, metadata: { ...object.metadata, name: object.metadata.name + name } },
  });
  const frozenObject = deepFreeze({ metadata: { name: '' } });
  const idle = noting('idle', []);
  const chain = new AdmissionChain([labelling('a'), idle, labelling('b')]);
  expect(await chain.mutate({ ...create, object: frozenObject })).toEqual({ metadata: { name: 'ab' } });
  expect(await new AdmissionChain([idle]).mutate({ ...create, object: frozenObject })).toBe(frozenObject);
});

test('all plugins mutate a second time, and never a third, if one of them requests it', async () => {
  const rounds: boolean[] = [];
  const asking: AdmissionPlugin = {
    name: 'asking',
    handles: () => true,
    mutate: (_attributes, round) => {
      rounds.push(round.isRepeated);
      round.repeat();
      return undefined;
    },
  };
  await new AdmissionChain([asking]).mutate(create);
  expect(rounds).toEqual([false, true]);
});

test('handles is called once for each operation and version, concerns for each write', async () => {
  const calls: string[] = [];
  const seen: string[] = [];
  const plugin: AdmissionPlugin = {
    name: 'selective',
    handles: ({ operation }) => {
      calls.push(operation);
      return operation === 'CREATE';
    },
    concerns: ({ name }) => name !== 'other',
    validate: ({ name }) => void seen.push(name),
  };
  const chain = new AdmissionChain([plugin]);
  for (const name of ['a', 'other', 'b']) await chain.validate({ ...create, name });
  await chain.validate({ ...create, operation: 'DELETE', name: 'c' });
  await chain.validate({ ...create, requested: plainVersion('', 'pods', 'Pod'), name: 'd' });
  expect(calls).toEqual(['CREATE', 'DELETE', 'CREATE']);
  expect(seen).toEqual(['a', 'b', 'd']);
});

test('a write waits for plugins that wait, and for no others', async () => {
  const notes: string[] = [];
  const atOnce = noting('at once', notes, { mutate: () => undefined });
  expect(new AdmissionChain([atOnce]).mutate(create)).toBeUndefined();
  expect(new AdmissionChain([atOnce]).validate(create)).toBeUndefined();
  const waiting = new AdmissionChain([noting('a', notes), atOnce]).mutate(create);
  expect(waiting).toBeInstanceOf(Promise);
  await waiting;
});
