import { expect, test } from 'vitest';
import { type Preferences, withPreferences } from './preferences.js';

const preferences: Preferences = {
  aliases: [
    { name: 'getn', command: 'get', prepend: ['namespace'], append: [], options: [{ name: 'output', value: 'json' }] },
    { name: 'get', command: 'delete', prepend: [], append: [], options: [] },
    { name: 'runx', command: 'run', prepend: [], append: ['pod', '--', 'a'], options: [] },
  ],
  defaults: [
    { command: 'get', options: [{ name: 'output', value: 'wide' }] },
    { command: 'set image', options: [{ name: 'local', value: 'true' }] },
  ],
};

test.each([
  [
    ['getn', 'x'],
    ['get', 'namespace', 'x'],
  ],
  [
    ['--namespace', 'other', 'getn', 'x'],
    ['--namespace', 'other', 'get', 'namespace', 'x'],
  ],
  [
    ['-n', 'other', 'getn'],
    ['-n', 'other', 'get', 'namespace'],
  ],
  [
    ['--v=6', 'getn'],
    ['--v=6', 'get', 'namespace'],
  ],
  [
    ['runx', '--image=i'],
    ['run', '--image=i', 'pod', '--', 'a'],
  ],
  [
    ['get', 'pods'],
    ['get', 'pods'],
  ],
  [['version'], ['version']],
])('%s is %s', (words, expected) => {
  expect(withPreferences(words, preferences).words).toEqual(expected);
});

test.each([
  [['get', 'pods'], [['output', 'wide']]],
  [['-n', 'x', 'get', 'pods'], [['output', 'wide']]],
  [
    ['getn'],
    [
      ['output', 'wide'],
      ['output', 'json'],
    ],
  ],
  [['set', 'image', 'x'], [['local', 'true']]],
  [['set', 'env', 'x'], []],
  [['describe', 'get'], []],
])('the defaults of %s are %s', (words, expected) => {
  expect(withPreferences(words, preferences).defaults).toEqual(expected);
});
