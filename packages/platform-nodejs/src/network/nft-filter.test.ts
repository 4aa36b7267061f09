import { expect, test } from 'vitest';
import { parseAffinities } from './nft-filter.js';

const map = (elem: unknown) => ({ nftables: [{ metainfo: {} }, { map: { name: 'affinity', elem } }] });
const key = { concat: ['10.244.0.2', '10.96.0.1', 'tcp', 80] };
const target = { concat: ['10.244.0.3', 8080] };
const read = {
  key: '10.244.0.2 . 10.96.0.1 . tcp . 80',
  frontend: '10.96.0.1 . tcp . 80',
  target: '10.244.0.3 . 8080',
};

test.each([
  ['no table', {}, []],
  ['no element', { nftables: [{ map: { name: 'affinity' } }] }, []],
  [
    'with its times',
    map([[{ elem: { val: key, timeout: 60, expires: 58 } }, target]]),
    [{ ...read, timeout: 60, expires: 58 }],
  ],
  [
    'with the timeout of the map',
    map([[{ elem: { val: key, expires: 10_000 } }, target]]),
    [{ ...read, expires: 10_000 }],
  ],
  ['without times', map([[key, target]]), [read]],
  ['something else', map([[{ concat: [1, 2] }, target], 'x', null]), []],
])('affinities as nft lists them: %s', (_name, listed, expected) => {
  expect(parseAffinities(listed)).toEqual(expected);
});
