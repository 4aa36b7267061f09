import fc from 'fast-check';
import { dump, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { writeJson } from '../write-json.js';
import { YamlProblem } from './cursor.js';
import { goYamlSchema } from './dump-schema.js';
import { parseStream } from './parse-stream.js';

const schema = goYamlSchema();
const jsYaml = { schema, json: true, maxDepth: 256 };
const refused = Symbol('refused');

/** The result of this parser: the documents, or that it rejects the text. */
function read(text: string): unknown {
  try {
    return present(parseStream(text, 256).map(({ value }) => value));
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    return refused;
  }
}

/** Empty documents are left out by the callers of the parser. */
function present(values: readonly unknown[]): unknown[] {
  return values.filter((value) => value !== null && value !== undefined);
}

/** The result of js-yaml. */
function readByJsYaml(text: string): unknown {
  try {
    return present(loadAll(text, null, jsYaml));
  } catch {
    return refused;
  }
}

const word = fc.oneof(
  fc.constantFrom('a', 'b', 'yes', 'No', '~', 'null', '0644', '0x1F', '1_000', '-1', '1e3', '.5', '08', '12:30', '<<'),
  fc.constantFrom(
    'a b',
    'a#b',
    'a:b',
    '-a',
    '--',
    '- a',
    'x: y',
    '# a',
    '',
    ' ',
    'true ',
    '"',
    "'",
    '{',
    '[a]',
    '*',
    '&',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', ':', '#', '-', "'", '"', '\\'), maxLength: 10 }),
);
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(word, tie('node'), { maxKeys: 4 }),
  ),
})).node;

describe('parseStream reads what js-yaml writes, as js-yaml does', () => {
  const styles = [
    { name: 'in blocks', options: {} },
    { name: 'with lists that are not indented', options: { noArrayIndent: true } },
    { name: 'in brackets', options: { flowLevel: 0 } },
    { name: 'in brackets further in', options: { flowLevel: 2 } },
    { name: 'all text in quotes', options: { forceQuotes: true, quotingType: '"' } },
    { name: 'far indented, in narrow lines', options: { indent: 7, lineWidth: 20 } },
    { name: 'with anchors for what is there twice', options: { noRefs: false }, twice: true },
  ] as const;

  test.each(styles)('$name', ({ options, ...style }) => {
    fc.assert(
      fc.property(value, (one) => {
        const written = 'twice' in style ? { a: one, b: [one] } : { a: one };
        const text = dump(written, { schema, ...options });
        // js-yaml leaves a key like "A:,&" without quotes in brackets, and then reads another document.
        const expected = readByJsYaml(text);
        fc.pre(writeJson(expected) === writeJson([written]));
        expect(read(text)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });
});

describe('parseStream', () => {
  const cases = [
    {
      name: 'tags',
      text: 'a: !!str 12\nb: !!int "7"\nc: !!str\n  0x10\nd: !!float 1\n',
      value: { a: '12', b: 7, c: '0x10', d: 1 },
    },
    {
      name: 'tags with a handle of their own',
      text: '%TAG !k! tag:yaml.org,2002:\n---\na: !k!str 1',
      value: { a: '1' },
    },
    {
      name: 'anchors of keys and of mappings',
      text: '&a k: &b\n  x: *a\nz: *b',
      value: { k: { x: 'k' }, z: { x: 'k' } },
    },
    { name: 'explicit keys', text: '? a\n: b\n? c\n? |\n  d\n: - e\n', value: { a: 'b', c: null, 'd\n': ['e'] } },
    { name: 'pairs in lists', text: '[a: 1, "b":2, ? c : 3, d]', value: [{ a: 1 }, { b: 2 }, { c: 3 }, 'd'] },
    {
      name: 'merges of several mappings',
      text: '- &a {x: 1}\n- &b {x: 2, z: 2}\n- <<: [*a, *b]\n  z: 3',
      value: [{ x: 1 }, { x: 2, z: 2 }, { x: 1, z: 3 }],
    },
    {
      name: 'single letters that mean yes and no, as keys too',
      text: 'a: [y, Y, n, N, "y", yy]\nn: 1',
      value: { a: [true, true, false, false, 'y', 'yy'], false: 1 },
    },
    { name: 'a quoted merge key as a key', text: '"<<": 1', value: { '<<': 1 } },
    { name: 'escapes', text: '"\\x41\\u00e9\\U0001F600\\e\\\n  b"', value: 'Aé😀\x1bb' },
    { name: 'lines that end as on Windows', text: 'a: |\r\n  x\r\n  y\r\nb: 1\r\n', value: { a: 'x\ny\n', b: 1 } },
    { name: 'a byte order mark', text: '\ufeffa: 1', value: { a: 1 } },
    {
      name: 'chomping and given indentation',
      text: 'a: |+\n  x\n\nb: >-\n  x\n  y\n\nc: |1\n  x\n',
      value: { a: 'x\n\n', b: 'x y', c: ' x\n' },
    },
  ];

  test.each(cases)('reads $name', ({ text, value: expected }) => {
    expect(read(text)).toEqual([expected]);
  });

  const problems = [
    ['a: b: c', 'line 1: mapping values are not allowed in this context'],
    ['a: 1\nb: [1, 2\nc: 3', "line 3: did not find expected ',' or ']'"],
    ['a:\n  - 1\n b: 2', 'line 3: did not find expected key'],
    ['- [1]\n - 2', "line 2: did not find expected '-' indicator"],
    ['a: 1\n  b: 2', 'line 2: mapping values are not allowed in this context'],
    ['a: 1\nb', "line 2: could not find expected ':'"],
    ['a:\n\tb: 1', 'line 2: found character that cannot start any token'],
    ['a: @b', 'line 1: found character that cannot start any token'],
    ['a: *b', "line 1: unknown anchor 'b' referenced"],
    ['a: &b [*b]', "line 1: anchor 'b' value contains itself"],
    ['a: "b', 'line 2: found unexpected end of stream while scanning a quoted scalar'],
    ['a: "\\ud83d\\ude00"', 'line 1: found invalid Unicode character escape code'],
    ['a: \0', 'line 1: control characters are not allowed'],
    ['? [a]\n: b', 'line 1: invalid map key'],
    ['<<: 1', 'line 1: map merge requires map or sequence of maps as the value'],
  ] as const;

  test.each(problems)('refuses %j: %s', (text, message) => {
    let output = '';
    try {
      parseStream(text, 256);
    } catch (error) {
      if (error instanceof YamlProblem) output = `line ${error.line}: ${error.message}`;
    }
    expect(output).toBe(message);
  });

  test('reports the lines of keys that are there twice, in order', () => {
    const [document] = parseStream('a:\n  b: 1\n  b: 2\nc: {d: 1,\n  d: 2}\na: 3', 256);
    const lines = document?.repeated.map(({ key, line }) => `${key} ${line}`);
    expect(lines).toEqual(['b 3', 'd 5', 'a 6']);
  });

  test('mappings with many different keys have Object.prototype', () => {
    const text = Array.from({ length: 3_000 }, (_, i) => `- k${i}: {toString: ${i}}`).join('\n');
    const list = (read(text) as object[][])[0] ?? [];
    expect(list.every((one) => Object.getPrototypeOf(one) === Object.prototype)).toBe(true);
    expect(list[2_999]).toEqual({ k2999: { toString: 2_999 } });
  });
});

describe('parseStream parses text made of pieces of YAML as js-yaml does, or both reject it', () => {
  const pieces = [
    ...[
      'a',
      'b',
      '1',
      'x y',
      ':',
      ': ',
      '- ',
      '-',
      '? ',
      ' ',
      '  ',
      '\n',
      '\n',
      '\n  ',
      '\n    ',
      '#',
      ' # c',
      '\n---\nr: ',
    ],
    ...['[', ']', '{', '}', ', ', ',', '"', "'", '"q"', "'s'", '|\n', '>\n', '|-\n', '&x ', '*x', '<<', '\n...\nr: '],
  ];
  // At the root js-yaml handles indentation differently.
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => `r: ${parts.join('')}`);

  test('for any combination of pieces', () => {
    fc.assert(
      fc.property(text, (one) => {
        const [own, other] = [read(one), readByJsYaml(one)];
        // Each refuses some odd texts that the other one takes; what both take they must understand alike.
        if (own !== refused && other !== refused) expect(own).toEqual(other);
      }),
      { numRuns: 10_000 },
    );
  });
});
