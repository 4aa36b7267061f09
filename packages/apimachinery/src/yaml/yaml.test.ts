import { describe, expect, test } from 'vitest';
import { reasonOf } from '../status-error.js';
import { formatYaml, formatYamlDocuments, parseYaml, parseYamlDocuments } from './yaml.js';

describe('parseYaml', () => {
  const cases = [
    {
      name: 'reads the words of YAML 1.1 as booleans',
      text: 'a: yes\nb: off\nc: True\nd: "on"',
      value: { a: true, b: false, c: true, d: 'on' },
    },
    { name: 'reads octal and hexadecimal numbers', text: 'mode: 0644\nmask: 0x1F', value: { mode: 420, mask: 31 } },
    {
      name: 'leaves times and ratios alone',
      text: 'at: 2026-01-01T00:00:00Z\nday: 2026-01-01\nport: 80:80',
      value: { at: '2026-01-01T00:00:00Z', day: '2026-01-01', port: '80:80' },
    },
    {
      name: 'reads numbers as Go does',
      text: '[1_000, -0x1F, 0b11, 0o17, +5, 08, 1e3, .5, 1., 1.2.3, 0x]',
      value: [1000, -31, 3, 15, 5, 8, 1000, 0.5, 1, '1.2.3', '0x'],
    },
    { name: 'makes every key a string', text: '1: a\ntrue: b', value: { 1: 'a', true: 'b' } },
    {
      name: 'expands aliases and merges',
      text: 'a: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}',
      value: { a: { k: 1 }, b: { k: 1 }, c: { k: 1, l: 2 } },
    },
    { name: 'keeps literal blocks', text: 'a: |\n  x\n   y\n', value: { a: 'x\n y\n' } },
    { name: 'reads JSON', text: ' {"a": [1, "b", null]}', value: { a: [1, 'b', null] } },
    { name: 'reads nothing as null', text: '# nothing\n', value: null },
  ];

  test.each(cases)('$name', ({ text, value }) => {
    expect(parseYaml(text)).toEqual(value);
  });

  test('each alias is a separate object', () => {
    const { a, b } = parseYaml('a: &x {k: 1}\nb: *x') as { a: object; b: object };
    expect(a).not.toBe(b);
  });

  test('treats __proto__ as a key', () => {
    const value = parseYaml('__proto__: {polluted: true}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value['polluted']).toBeUndefined();
  });

  const bomb = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`),
  ].join('\n');
  const refused = [
    { name: 'broken text', text: 'a: [' },
    { name: 'tabs for indentation', text: 'a:\n\tb: 1' },
    { name: 'an alias bomb', text: bomb },
    { name: '100,000 nested lists', text: '['.repeat(100_000) },
    { name: '100,000 nested lists after a key', text: `a: ${'['.repeat(100_000)}` },
    { name: '100,000 dashes', text: '- '.repeat(100_000) },
    { name: 'a staircase', text: Array.from({ length: 3_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n') },
    { name: 'infinity', text: 'a: .inf' },
    { name: 'two documents', text: 'a: 1\n---\nb: 2' },
    { name: 'a list that contains itself', text: 'a: &a [*a]' },
    { name: 'an unknown alias', text: 'a: *x' },
    { name: 'invalid UTF-8', text: new Uint8Array([0x61, 0x3a, 0x20, 0xff]) },
  ];

  test.each(refused)('refuses $name', ({ text }) => {
    let reason: string | undefined;
    try {
      parseYaml(text);
    } catch (error) {
      reason = reasonOf(error);
    }
    expect(reason).toBe('BadRequest');
  });

  test('is not frightened by brackets and blanks inside of text', () => {
    const text = `${'['.repeat(2_000)}\n${' '.repeat(2_000)}x`;
    expect(parseYaml(formatYaml({ a: text, b: { c: text } }))).toEqual({ a: text, b: { c: text } });
  });
});

describe('parseYamlDocuments', () => {
  test('reads a stream and leaves empty documents out', () => {
    const documents = parseYamlDocuments('---\na: 1\n---\n# empty\n---\nb: 2\n...\n');
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('reports a duplicate key, with the message of the Go tools', () => {
    const [document] = parseYamlDocuments('a: 1\nl:\n- b: {c: 1}\na: 3');
    const problems = ['yaml: unmarshal errors:\n  line 4: key "a" already set in map'];
    expect(document).toEqual({ value: { a: 3, l: [{ b: { c: 1 } }] }, duplicateFields: [], problems });
  });

  test('finds it in a large mapping in linear time', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `key${i}: ${i}`).join('\n');
    expect(parseYamlDocuments(`${text}\n"key7": x`)[0]?.problems?.[0]).toContain('line 20001: key "key7" already');
  });
});

describe('formatYaml', () => {
  test('sorts keys, does not indent lists and quotes ambiguous text', () => {
    const value = { b: ['x'], a: 'yes', c: '0644', d: '', e: 'x\ny\n', f: {}, g: [] };
    expect(formatYaml(value)).toBe('a: "yes"\nb:\n- x\nc: "0644"\nd: ""\ne: |\n  x\n  y\nf: {}\ng: []\n');
  });

  test.each([
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01T10:00:00.5+02:00',
    '2026-1-2 3:04:05',
    '1:30',
    '12:30:45',
  ])('quotes %s, which others read as a time', (text) => {
    expect(formatYaml({ at: text })).toBe(`at: "${text}"\n`);
  });

  test.each(['2026-01-01T', 'v1:2', '10.0.0.1'])('leaves %s alone, which is text to all', (text) => {
    expect(formatYaml({ at: text })).toBe(`at: ${text}\n`);
  });

  test('writes streams that are read back', () => {
    const values = [{ a: 'on', at: '2026-01-01T00:00:00Z' }, { n: [1, 1.5, null, true, '1'] }];
    expect(parseYamlDocuments(formatYamlDocuments(values)).map(({ value }) => value)).toEqual(values);
  });
});
