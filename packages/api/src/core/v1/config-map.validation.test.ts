import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { key: 'value' } };
const frozen = { ...configMap, immutable: true };

test.each<[string, Changes, string[]]>([
  ['text and bytes are welcome', { 'binaryData.bytes': 'AAEC' }, []],
  [
    'keys are names of files',
    { 'data.a/b': 'x' },
    ["data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.'"],
  ],
  ['no key leads out of the volume', { data: { '..': 'x' } }, ['data[..]: Invalid value: "..": must not be \'..\'']],
  [
    'a key is text or bytes, not both',
    { 'binaryData.key': 'AAEC' },
    ['data[key]: Invalid value: "key": duplicate of key present in binaryData'],
  ],
  [
    'there is a limit to the size',
    { 'data.key': 'x'.repeat(1024 * 1024 + 1) },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(configMap, changes)).toEqual(want);
});

test.each<[string, Changes, string[]]>([
  ['what is immutable stays as it is', {}, []],
  ['its data stays', { 'data.key': 'new' }, ['data: Forbidden: field is immutable when `immutable` is set']],
  [
    'and it stays immutable',
    { immutable: false },
    ['immutable: Forbidden: field is immutable when `immutable` is set'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnUpdate(frozen, changes)).toEqual(want);
});
