import { deepFreeze } from '@coracle/base';
import { describe, expect, it } from 'vitest';
import type { StatusError } from '../status-error.js';
import { applyJsonPatch, maxJsonPatchOperations } from './json-patch.js';

const document = deepFreeze({
  a: 1,
  list: ['x', 'y', 'z'],
  map: { 'a/b': 1, 'm~n': 2, nested: { deep: true } },
  none: null,
});

interface Case {
  readonly does: string;
  readonly patch: unknown[];
  readonly gives: object;
}

const cases: Case[] = [
  { does: 'adds a field', patch: [{ op: 'add', path: '/b', value: 2 }], gives: { b: 2 } },
  { does: 'replaces a field that add names', patch: [{ op: 'add', path: '/a', value: 2 }], gives: { a: 2 } },
  {
    does: 'inserts into a list',
    patch: [{ op: 'add', path: '/list/1', value: 'n' }],
    gives: { list: ['x', 'n', 'y', 'z'] },
  },
  {
    does: 'appends with a dash',
    patch: [{ op: 'add', path: '/list/-', value: 'n' }],
    gives: { list: ['x', 'y', 'z', 'n'] },
  },
  {
    does: 'appends by the index after the last',
    patch: [{ op: 'add', path: '/list/3', value: 'n' }],
    gives: { list: ['x', 'y', 'z', 'n'] },
  },
  { does: 'removes from a list', patch: [{ op: 'remove', path: '/list/0' }], gives: { list: ['y', 'z'] } },
  {
    does: 'counts a negative index from the end',
    patch: [{ op: 'remove', path: '/list/-1' }],
    gives: { list: ['x', 'y'] },
  },
  {
    does: 'adds a field that replace does not find',
    patch: [{ op: 'replace', path: '/zz', value: 1 }],
    gives: { zz: 1 },
  },
  {
    does: 'replaces in a list',
    patch: [{ op: 'replace', path: '/list/1', value: 'n' }],
    gives: { list: ['x', 'n', 'z'] },
  },
  {
    does: 'unescapes a slash',
    patch: [{ op: 'replace', path: '/map/a~1b', value: 9 }],
    gives: { map: { 'a/b': 9, 'm~n': 2, nested: { deep: true } } },
  },
  {
    does: 'unescapes a tilde',
    patch: [{ op: 'remove', path: '/map/m~0n' }],
    gives: { map: { 'a/b': 1, nested: { deep: true } } },
  },
  {
    does: 'moves',
    patch: [{ op: 'move', from: '/map/nested/deep', path: '/b' }],
    gives: { map: { 'a/b': 1, 'm~n': 2, nested: {} }, b: true },
  },
  { does: 'copies', patch: [{ op: 'copy', from: '/list/0', path: '/list/-' }], gives: { list: ['x', 'y', 'z', 'x'] } },
  {
    does: 'goes on after a test that holds',
    patch: [
      { op: 'test', path: '/map/nested', value: { deep: true } },
      { op: 'remove', path: '/a' },
    ],
    gives: { a: undefined },
  },
  {
    does: 'takes an absent value for null in a test',
    patch: [{ op: 'test', path: '/absent', value: null }],
    gives: {},
  },
  { does: 'tests null', patch: [{ op: 'test', path: '/none', value: null }], gives: {} },
  {
    does: 'sees what earlier operations did',
    patch: [
      { op: 'add', path: '/b', value: {} },
      { op: 'add', path: '/b/c', value: 1 },
    ],
    gives: { b: { c: 1 } },
  },
  {
    does: 'adds a field called __proto__',
    patch: [
      { op: 'add', path: '/map/__proto__', value: 1 },
      { op: 'remove', path: '/map/__proto__' },
    ],
    gives: {},
  },
];

const refusals: { why: string; patch: unknown; code: number }[] = [
  { why: 'no list', patch: { op: 'add' }, code: 400 },
  { why: 'an operation that is no object', patch: ['add'], code: 400 },
  { why: 'a path that is no text', patch: [{ op: 'add', path: 3 }], code: 400 },
  { why: 'an unknown operation', patch: [{ op: 'jump', path: '/a' }], code: 422 },
  { why: 'no operation', patch: [{ path: '/a' }], code: 422 },
  { why: 'a pointer without a slash', patch: [{ op: 'remove', path: 'a' }], code: 422 },
  { why: 'a test that fails', patch: [{ op: 'test', path: '/a', value: 2 }], code: 422 },
  { why: 'a test of the wrong type', patch: [{ op: 'test', path: '/a', value: '1' }], code: 422 },
  { why: 'removing what is not there', patch: [{ op: 'remove', path: '/zz' }], code: 422 },
  { why: 'replacing an element that is not there', patch: [{ op: 'replace', path: '/list/9', value: 1 }], code: 422 },
  { why: 'replacing below what is not there', patch: [{ op: 'replace', path: '/zz/y', value: 1 }], code: 422 },
  { why: 'adding below what is not there', patch: [{ op: 'add', path: '/zz/y', value: 1 }], code: 422 },
  { why: 'adding below a number', patch: [{ op: 'add', path: '/a/y', value: 1 }], code: 422 },
  { why: 'an index beyond the list', patch: [{ op: 'add', path: '/list/4', value: 1 }], code: 422 },
  { why: 'an index that is no number', patch: [{ op: 'add', path: '/list/one', value: 1 }], code: 422 },
  { why: 'moving from nowhere', patch: [{ op: 'move', from: '/zz', path: '/b' }], code: 422 },
  { why: 'a path that is null', patch: [{ op: 'remove', path: null }], code: 422 },
  { why: 'a copy from null', patch: [{ op: 'copy', from: null, path: '/b' }], code: 422 },
  { why: 'a copy without from', patch: [{ op: 'copy', path: '/b' }], code: 422 },
  {
    why: 'more operations than allowed',
    patch: Array(maxJsonPatchOperations + 1).fill({ op: 'test', path: '/a', value: 1 }),
    code: 413,
  },
];

describe('applyJsonPatch', () => {
  it.each(cases)('$does', ({ patch, gives }) => {
    expect(applyJsonPatch(document, patch)).toEqual({ ...document, ...gives });
  });

  it.each(refusals)('refuses $why with $code', ({ patch, code }) => {
    const refused = expectThrown(() => applyJsonPatch(document, patch));
    expect(refused.status.code).toBe(code);
  });

  it('has upstream’s message for clients, and the reason in the cause', () => {
    const refused = expectThrown(() => applyJsonPatch(document, [{ op: 'test', path: '/a', value: 2 }]));
    expect(refused.message).toBe('the server rejected our request due to an error in our request');
    expect(refused.status.reason).toBe('Invalid');
    expect((refused.cause as Error).message).toBe('testing value /a failed: test failed');
  });

  it('shares unchanged parts', () => {
    expect(applyJsonPatch(document, [{ op: 'add', path: '/b', value: 2 }]).map).toBe(document.map);
  });

  it('keeps the value of the patch apart from the result', () => {
    const value = deepFreeze({ inner: [1] });
    const patched = applyJsonPatch<Record<string, unknown>>(document, [
      { op: 'add', path: '/b', value },
      { op: 'add', path: '/b/inner/-', value: 2 },
    ]);
    expect(patched['b']).toEqual({ inner: [1, 2] });
  });

  it('replaces the whole document by the empty pointer', () => {
    expect(applyJsonPatch<unknown>(document, [{ op: 'replace', path: '', value: { b: 1 } }])).toEqual({ b: 1 });
  });
});

function expectThrown(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('nothing was thrown');
}
