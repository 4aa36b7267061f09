import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  booleanFlag,
  collect,
  parseAddress,
  parseCount,
  parseList,
  parseSwitches,
  parseTimespan,
} from './flag-values.js';

describe('the value of a flag', () => {
  test.each([
    { name: 'is a host and a port', parse: parseAddress, text: 'localhost:80', value: { host: 'localhost', port: 80 } },
    { name: 'is every address without a host', parse: parseAddress, text: ':80', value: { host: '0.0.0.0', port: 80 } },
    {
      name: 'has addresses of IPv6 in brackets',
      parse: parseAddress,
      text: '[::1]:80',
      value: { host: '::1', port: 80 },
    },
    { name: 'is a list without its gaps', parse: parseList, text: 'a, b,,c,', value: ['a', 'b', 'c'] },
    { name: 'is an empty list for no text', parse: parseList, text: '', value: [] },
    { name: 'is a count', parse: parseCount, text: '007', value: 7 },
    { name: 'is a time in milliseconds', parse: parseTimespan, text: '1m30s', value: 90_000 },
    { name: 'is no time at all', parse: parseTimespan, text: '0', value: 0 },
    {
      name: 'switches on what it only names',
      parse: parseSwitches,
      text: 'api/all=false,apps/v1',
      value: { 'api/all': false, 'apps/v1': true },
    },
    {
      name: 'switches in each of the ways that Go spells it',
      parse: parseSwitches,
      text: 'a=1,b=t,c=TRUE,d=0,e=F,f=False',
      value: { a: true, b: true, c: true, d: false, e: false, f: false },
    },
  ])('$name: $text', ({ parse, text, value }) => {
    expect(parse(text)).toEqual(value);
  });

  test.each([
    { parse: parseAddress, text: '6443', says: 'HOST:PORT' },
    { parse: parseAddress, text: '::1:6443', says: 'HOST:PORT' },
    { parse: parseAddress, text: 'localhost:65536', says: 'HOST:PORT' },
    { parse: parseCount, text: '-1', says: 'a whole number' },
    { parse: parseCount, text: '1.5', says: 'a whole number' },
    { parse: parseTimespan, text: '90', says: 'a duration' },
    { parse: parseTimespan, text: '-1s', says: 'a duration' },
    { parse: parseSwitches, text: 'apps/v1=yes', says: 'apps/v1=yes: true or false' },
  ])('is rejected if it is invalid: $text', ({ parse, text, says }) => {
    expect(() => parse(text)).toThrow(says);
  });
});

test('a flag that may be repeated keeps earlier values', () => {
  expect(collect('b', collect('a'))).toEqual(['a', 'b']);
});

describe('a flag that is true or false', () => {
  const parsed = (words: readonly string[], usual?: boolean) =>
    new Command()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .addOption(booleanFlag('profiling', 'whether it is on', usual))
      .option('--other')
      .parse(words, { from: 'user' })
      .opts()['profiling'];

  test.each([
    { name: 'is what is usual when it is not given', words: [], usual: false, value: false },
    { name: 'is true by its name alone', words: ['--profiling'], usual: false, value: true },
    { name: 'leaves the next flag alone', words: ['--profiling', '--other'], usual: false, value: true },
    { name: 'is what stands behind the equals sign', words: ['--profiling=false'], usual: true, value: false },
    { name: 'is what stands behind it', words: ['--profiling', 'false'], usual: true, value: false },
    { name: 'is true as Go spells it', words: ['--profiling=T'], usual: false, value: true },
    { name: 'is false as Go spells it', words: ['--profiling=0'], usual: true, value: false },
  ])('$name', ({ words, usual, value }) => {
    expect(parsed(words, usual)).toBe(value);
  });

  test('other values are rejected', () => {
    expect(() => parsed(['--profiling=maybe'])).toThrow('it must be true or false');
  });
});
