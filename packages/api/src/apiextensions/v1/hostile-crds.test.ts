import { describe, expect, test } from 'vitest';
import { problemsOnCreate } from '../../rules.fixture.js';

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
  status: { storedVersions: ['v1'] },
};
const spec = 'spec.versions.0.schema.openAPIV3Schema.properties';

/** Less than half a second on a quiet machine; the other threads of the process are counted, too. */
const limitMs = 3_000;

/** The field errors of a CRD whose `spec` has this schema, and the processor time that they took. */
function judge(schema: object): { readonly problems: readonly string[]; readonly busyMs: number } {
  const before = process.cpuUsage();
  const problems = problemsOnCreate(crd, { [spec]: { spec: schema } });
  const { user, system } = process.cpuUsage(before);
  return { problems, busyMs: (user + system) / 1000 };
}

const rule = (text: string, more: object = {}) => ({
  type: 'object',
  properties: { text: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } },
  'x-kubernetes-validations': [{ rule: text }],
  ...more,
});

/** Lists in lists in lists, each element compared with every other. */
function bomb(depth: number): string {
  let text = 'true';
  for (let i = depth; i > 0; i--) text = `self.list.all(x${i}, ${text})`;
  return text;
}

function deep(depth: number): object {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const wide = (count: number, more: (index: number) => object = () => ({ description: 'x'.repeat(40) })) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`field${i}`, { type: 'string', ...more(i) }]),
  ),
});

test.each([
  ['four bytes for each character that a text may have', { maxLength: 300 }, /exceeds budget by factor of 1\.8x/],
  ['what the longest word takes', { enum: ['a,b'] }, undefined],
])('a rule is estimated to read %s', (_, words, problem) => {
  const compare = 'self.split(",").all(x, self.split(",").all(y, x != y))';
  const { problems } = judge({ type: 'string', ...words, 'x-kubernetes-validations': [{ rule: compare }] });
  if (problem) expect(problems.at(-1)).toMatch(problem);
  else expect(problems).toEqual([]);
});

describe('hostile CRDs are refused in limited time', () => {
  test.each<readonly [string, object, RegExp]>([
    ['comprehensions inside of each other', rule(bomb(6)), /exceeds budget by factor of more than 100x/],
    ['a rule of many brackets', rule(`${'('.repeat(10_000)}true${')'.repeat(10_000)}`), /compilation failed/],
    [
      'a rule of many calls',
      rule(`self.text${'.lowerAscii()'.repeat(5_000)} == ''`),
      /compilation failed|exceeds budget/,
    ],
    ['comprehensions to a great depth', rule(bomb(200)), /compilation failed|exceeds budget/],
    ['a rule of many lists', rule(`${'['.repeat(10_000)}1${']'.repeat(10_000)} == []`), /compilation failed/],
    ['a rule of many sums', rule(`${'1 + '.repeat(20_000)}1 == 1`), /compilation failed/],
    ['a rule of a megabyte', rule(`self.text == '${'x'.repeat(1_000_000)}'`), /compilation failed/],
    [
      'a pattern of many brackets',
      { type: 'string', pattern: `${'('.repeat(5_000)}a${')*'.repeat(5_000)}` },
      /pattern/,
    ],
    ['a pattern of many repetitions', { type: 'string', pattern: '((a{1,100}){1,100}){1,100}' }, /pattern/],
    ['a pattern that is none', { type: 'string', pattern: '(a+' }, /pattern/],
    ['a rule with a pattern that is none', rule("self.text.matches('(a+')"), /compilation failed/],
  ])('%s', (_, schema, message) => {
    const { problems, busyMs } = judge(schema);
    expect(problems.join('\n')).toMatch(message);
    expect(busyMs).toBeLessThan(limitMs);
  });

  test.each<readonly [string, object]>([
    ['a pattern with nested repetitions', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }],
    ['many patterns', wide(5_000, (i) => ({ pattern: `^(a+)+${i}$` }))],
    ['many rules', wide(3_000, (i) => ({ maxLength: 9, 'x-kubernetes-validations': [{ rule: `self != 'a${i}'` }] }))],
    ['a rule of many signs', rule(`${'!'.repeat(50_000)}true`)],
    ['a schema of a megabyte', wide(10_000)],
    ['a schema of a hundred levels', deep(100)],
  ])('%s is accepted', (_, schema) => {
    const { problems, busyMs } = judge(schema);
    expect(problems).toEqual([]);
    expect(busyMs).toBeLessThan(limitMs);
  });
});
