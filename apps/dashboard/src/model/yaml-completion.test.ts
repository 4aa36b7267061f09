import { describe, expect, test } from 'vitest';
import { type CompletedField, indentAfter, suggestionsAt, yamlPositionAt } from './yaml-completion.js';

/** The text without its caret (`|`), and the place of that. */
function at(marked: string): readonly [string, number] {
  return [marked.replace('|', ''), marked.indexOf('|')];
}

const pod = ['spec:', '  containers:', '  - name: web', '    image: nginx', '    ¦', '  - name: log', 'status: {}'];
const podWith = (line: string) => pod.join('\n').replace('    ¦', line);

describe('the place of the caret', () => {
  test.each([
    ['a field at the top', 'apiVersion: v1\nme|', 'field', [], 'me', ['apiVersion']],
    ['a field of an item', podWith('    po|'), 'field', ['spec', 'containers'], 'po', ['name', 'image']],
    ['an empty line', podWith('    |'), 'field', ['spec', 'containers'], '', ['name', 'image']],
    ['the first field of a new item', podWith('  - na|'), 'field', ['spec', 'containers'], 'na', []],
    ['a value', podWith('    imagePullPolicy: Al|'), 'value', ['spec', 'containers', 'imagePullPolicy'], 'Al', []],
    ['an empty value', podWith('    tty: |'), 'value', ['spec', 'containers', 'tty'], '', []],
    ['an item of a list of words', 'spec:\n  accessModes:\n  - Read|', 'field', ['spec', 'accessModes'], 'Read', []],
    ['a field of a second document', 'kind: Pod\n---\nki|', 'field', [], 'ki', []],
    ['a field above others', 'spec:\n  re|\n  selector: {}\nstatus: {}', 'field', ['spec'], 're', ['selector']],
  ])('is %s', (_, marked, writes, path, prefix, beside) => {
    const position = yamlPositionAt(...at(marked));
    expect(position).toMatchObject({ writes, path, prefix });
    expect([...(position?.beside ?? [])].sort()).toEqual([...beside].sort());
  });

  test.each([
    ['a comment', 'spec: # he|'],
    ['behind a value', 'kind: Pod |'],
    ['in the middle of a word', 'sp|ec:'],
    ['a quoted text', 'kind: "Po|'],
  ])('nothing is completed in %s', (_, marked) => {
    expect(yamlPositionAt(...at(marked))).toBeUndefined();
  });
});

const container: CompletedField = {
  type: '[]object',
  enum: [],
  fields: [
    { name: 'args', type: '[]string', isRequired: false },
    { name: 'image', type: 'string', isRequired: false },
    { name: 'imagePullPolicy', type: 'string', isRequired: false },
    { name: 'name', type: 'string', isRequired: true },
    { name: 'resources', type: 'object', isRequired: false },
  ],
};

describe('suggestions', () => {
  const of = (marked: string, field: CompletedField) => {
    const position = yamlPositionAt(...at(marked));
    return position ? suggestionsAt(position, field).map(({ insert }) => insert) : [];
  };

  test('are absent fields, required ones first, with the text after their names', () => {
    expect(of(podWith('  - |'), container)).toEqual([
      'name: ',
      'args:\n    - ',
      'image: ',
      'imagePullPolicy: ',
      'resources:\n      ',
    ]);
    expect(of(podWith('    |'), container)).toEqual(['args:\n    - ', 'imagePullPolicy: ', 'resources:\n      ']);
  });

  test.each([
    ['begin with what is written', podWith('    re|'), container, ['resources:\n      ']],
    ['or hold it', podWith('    policy|'), container, ['imagePullPolicy: ']],
    ['are none for what is complete', podWith('    args|'), container, []],
    ['are values', 'a: Al|', { type: 'string', enum: ['Always', 'Never'], fields: [] }, ['Always']],
    ['are true and false', 'a: |', { type: 'boolean', enum: [], fields: [] }, ['true', 'false']],
    ['are values of a list', 'a:\n- |', { type: '[]string', enum: ['x', 'y'], fields: [] }, ['x', 'y']],
    ['are none where a list has not begun', 'a:\n  |', { type: '[]string', enum: ['x'], fields: [] }, []],
    ['are none where the schema has nothing', 'a: |', { type: 'string', enum: [], fields: [] }, []],
  ])('%s', (_, marked, field, expected) => {
    expect(of(marked, field)).toEqual(expected);
  });
});

test.each([
  ['spec:|', '  '],
  ['  - name: web|', '    '],
  ['  containers:|', '    '],
  ['kind: Pod|', ''],
])('a new line after %j begins with %j', (marked, expected) => {
  expect(indentAfter(...at(marked))).toBe(expected);
});
