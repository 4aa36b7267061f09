import { describe } from 'vitest';
import { type Case, item, owned, runCases } from './apply-cases.fixture.js';

const lists: Case[] = [
  {
    does: 'owns an atomic list as a whole',
    steps: [
      { by: 'one', apply: { atomicList: ['a'] } },
      { by: 'two', apply: { atomicList: ['a', 'b'] } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .atomicList',
  },
  {
    does: 'replaces an atomic list',
    steps: [
      { by: 'one', apply: { atomicList: ['a', 'b'] } },
      { by: 'one', apply: { atomicList: ['c'] } },
    ],
    gives: { atomicList: ['c'] },
    owners: { one: { 'f:atomicList': {} } },
  },
  {
    does: 'joins sets of two managers',
    steps: [
      { by: 'one', apply: { set: ['a', 'b'] } },
      { by: 'two', apply: { set: ['b', 'c'] } },
    ],
    gives: { set: ['a', 'b', 'c'] },
    owners: { one: { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }, two: { 'f:set': { 'v:"b"': {}, 'v:"c"': {} } } },
  },
  {
    does: 'removes from a set what its only owner gives up',
    steps: [
      { by: 'one', apply: { set: ['a', 'b'] } },
      { by: 'two', apply: { set: ['b', 'c'] } },
      { by: 'one', apply: { set: [] } },
    ],
    gives: { set: ['b', 'c'] },
  },
  {
    does: 'owns finalizers by value',
    steps: [
      { by: 'one', apply: { metadata: { finalizers: ['x.io/a'] } } },
      { by: 'two', apply: { metadata: { finalizers: ['x.io/b'] } } },
      { by: 'one', apply: {} },
    ],
    gives: { metadata: { finalizers: ['x.io/b'] } },
    owners: { two: { 'f:metadata': { 'f:finalizers': { 'v:"x.io/b"': {} } } } },
  },
  {
    does: 'owns nothing of an empty list',
    steps: [{ by: 'one', apply: { text: 'a', items: [] } }],
    owners: { one: { 'f:text': {} } },
  },
  {
    does: 'owns items by their key',
    steps: [{ by: 'one', apply: { items: [item('a', { value: '1' })] } }],
    owners: { one: { 'f:items': owned('a', { 'f:value': {} }) } },
  },
  {
    does: 'joins items of two managers',
    steps: [
      { by: 'one', apply: { items: [item('a')] } },
      { by: 'two', apply: { items: [item('b')] } },
    ],
    gives: { items: [item('a'), item('b')] },
    owners: { one: { 'f:items': owned('a') }, two: { 'f:items': owned('b') } },
  },
  {
    does: 'joins fields in one item',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a', { labels: { x: 'y' } })] } },
    ],
    gives: { items: [item('a', { value: '1', labels: { x: 'y' } })] },
  },
  {
    does: 'conflicts in a field of an item',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a', { value: '2' })] } },
    ],
    conflict: 'Apply failed with 1 conflict: conflict with "one": .items[name="a"].value',
  },
  {
    does: 'removes an item that is given up',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b')] } },
      { by: 'one', apply: { items: [item('b')] } },
    ],
    gives: { items: [item('b')] },
  },
  {
    does: 'keeps an item that others own, too',
    steps: [
      { by: 'one', apply: { items: [item('a', { value: '1' })] } },
      { by: 'two', apply: { items: [item('a')] } },
      { by: 'one', apply: {} },
    ],
    gives: { items: [item('a')] },
  },
  {
    does: 'removes the list with its last item',
    steps: [
      { by: 'one', apply: { text: 'a', items: [item('a')] } },
      { by: 'one', apply: { text: 'a' } },
    ],
    gives: { text: 'a' },
  },
  {
    does: 'keeps the order that is applied',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b'), item('c')] } },
      { by: 'one', apply: { items: [item('c'), item('a'), item('b')] } },
    ],
    gives: { items: [item('c'), item('a'), item('b')] },
  },
  {
    does: 'puts items of others before the next common one',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b'), item('c')] } },
      { by: 'two', apply: { items: [item('n'), item('c'), item('a')] } },
    ],
    gives: { items: [item('b'), item('n'), item('c'), item('a')] },
  },
  {
    does: 'fills a defaulted key',
    steps: [{ by: 'one', apply: { items: [item('a', { ports: [{ port: 80 }] })] } }],
    gives: { items: [item('a', { ports: [{ port: 80 }] })] },
    owners: {
      one: { 'f:items': owned('a', { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } }) },
    },
  },
  {
    does: 'takes an absent key for its default',
    steps: [
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 80, protocol: 'TCP' }] })] } },
      { by: 'two', apply: { items: [item('a', { ports: [{ port: 80, note: 'n' }] })] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 80, protocol: 'TCP', note: 'n' }] })] },
  },
  {
    does: 'tells items apart by all of their keys',
    steps: [
      {
        by: 'one',
        apply: {
          items: [
            item('a', {
              ports: [
                { port: 53, protocol: 'TCP' },
                { port: 53, protocol: 'UDP' },
              ],
            }),
          ],
        },
      },
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 53, protocol: 'UDP' }] })] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 53, protocol: 'UDP' }] })] },
  },
  {
    does: 'removes a nested item only',
    steps: [
      { by: 'one', apply: { items: [item('a', { ports: [{ port: 80 }, { port: 90 }] })] } },
      { by: 'two', apply: { items: [item('a', { ports: [{ port: 90 }] })] } },
      { by: 'one', apply: { items: [item('a')] } },
    ],
    gives: { items: [item('a', { ports: [{ port: 90 }] })] },
  },
  {
    does: 'replaces repeated items of the live list by the applied one',
    steps: [
      { by: 'one', update: { items: [item('a', { value: '1' }), item('a', { value: '2' })] } },
      { by: 'two', apply: { items: [item('a', { value: '3' })] }, force: true },
    ],
    gives: { items: [item('a', { value: '3' })] },
  },
  {
    does: 'owns repeated items as one whole',
    steps: [{ by: 'one', update: { items: [item('a', { value: '1' }), item('a', { value: '2' })] } }],
    owners: { 'one (Update)': { 'f:items': { '.': {}, 'k:{"name":"a"}': {} } } },
  },
  {
    does: 'loses an item to an updater that deletes it',
    steps: [
      { by: 'one', apply: { items: [item('a'), item('b')] } },
      { by: 'two', update: { items: [item('b')] } },
    ],
    owners: { one: { 'f:items': owned('b') } },
  },
  {
    does: 'leaves the items of an updater',
    steps: [
      { by: 'one', update: { items: [item('z')] } },
      { by: 'two', apply: { items: [item('a')] } },
      { by: 'two', apply: { items: [] } },
    ],
    gives: { items: [item('z')] },
  },
];

describe('applyConfiguration to lists', () => runCases(lists));
