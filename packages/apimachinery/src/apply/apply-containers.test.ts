import { describe } from 'vitest';
import { type Case, runCases } from './apply-cases.fixture.js';

const containers: Case[] = [
  {
    does: 'owns the keys of a map',
    steps: [
      { by: 'one', apply: { map: { a: '1' } } },
      { by: 'two', apply: { map: { b: '2' } } },
    ],
    gives: { map: { a: '1', b: '2' } },
    owners: { one: { 'f:map': { 'f:a': {} } }, two: { 'f:map': { 'f:b': {} } } },
  },
  {
    does: 'conflicts in a key of a map',
    steps: [
      { by: 'one', apply: { map: { a: '1' } } },
      { by: 'two', apply: { map: { a: '2' } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .map.a',
  },
  {
    does: 'removes the key of a map that is given up',
    steps: [
      { by: 'one', apply: { map: { a: '1', b: '2' } } },
      { by: 'one', apply: { map: { b: '2' } } },
    ],
    gives: { map: { b: '2' } },
  },
  {
    does: 'removes a map that is given up',
    steps: [
      { by: 'one', apply: { text: 'a', map: { a: '1' } } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
  },
  {
    does: 'keeps in a map what others own',
    steps: [
      { by: 'one', apply: { text: 'a', map: { a: '1' } } },
      { by: 'two', apply: { map: { b: '2' } } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a', map: { b: '2' } },
  },
  {
    does: 'owns an empty map',
    steps: [{ by: 'one', apply: { map: {} } }],
    gives: { map: {} },
    owners: { one: { 'f:map': {} } },
  },
  {
    does: 'owns an atomic map as a whole',
    steps: [{ by: 'one', apply: { atomicMap: { a: '1' } } }],
    owners: { one: { 'f:atomicMap': {} } },
  },
  {
    does: 'replaces an atomic map',
    steps: [
      { by: 'one', apply: { atomicMap: { a: '1' } } },
      { by: 'one', apply: { atomicMap: { b: '2' } } },
    ],
    gives: { atomicMap: { b: '2' } },
  },
  {
    does: 'conflicts in an atomic map as a whole',
    steps: [
      { by: 'one', apply: { atomicMap: { a: '1' } } },
      { by: 'two', apply: { atomicMap: { b: '2' } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .atomicMap',
  },
  {
    does: 'owns an atomic struct as a whole',
    steps: [
      { by: 'one', apply: { atomicStruct: { a: '1' } } },
      { by: 'two', apply: { atomicStruct: { b: '2' } }, force: true },
    ],
    gives: { atomicStruct: { b: '2' } },
    owners: { two: { 'f:atomicStruct': {} } },
  },
  {
    does: 'owns the fields of a struct, not the struct',
    steps: [{ by: 'one', apply: { struct: { a: '1', inner: { x: '2' } } } }],
    owners: { one: { 'f:struct': { 'f:a': {}, 'f:inner': { 'f:x': {} } } } },
  },
  {
    does: 'merges structs of two managers',
    steps: [
      { by: 'one', apply: { struct: { inner: { x: '1' } } } },
      { by: 'two', apply: { struct: { inner: { y: '2' } } } },
    ],
    gives: { struct: { inner: { x: '1', y: '2' } } },
  },
  {
    does: 'removes with a struct its unowned fields',
    steps: [
      { by: 'one', apply: { text: 'a', struct: { a: '1' } } },
      { by: 'server', update: { text: 'a', struct: { a: '1', b: 'default' } } },
      { by: 'two', apply: { struct: { b: 'default' } }, force: true },
      { by: 'two', apply: {} },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a', struct: { b: 'default' } },
  },
  {
    does: 'deduces maps in free-form values',
    steps: [
      { by: 'one', apply: { free: { a: { b: 1 } } } },
      { by: 'two', apply: { free: { a: { c: 2 } } } },
    ],
    gives: { free: { a: { b: 1, c: 2 } } },
    owners: {
      one: { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } },
      two: { 'f:free': { 'f:a': { '.': {}, 'f:c': {} } } },
    },
  },
  {
    does: 'deduces atomic lists in free-form values',
    steps: [
      { by: 'one', apply: { free: { list: [{ name: 'a' }] } } },
      { by: 'two', apply: { free: { list: [{ name: 'b' }] } } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .free.list',
  },
];

describe('applyConfiguration to maps and structs', () => runCases(containers));
