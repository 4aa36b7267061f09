import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { YamlProblem } from './cursor.js';
import { parseStream } from './parse-stream.js';

const size = 20_000;
const filled = (piece: string) => piece.repeat(Math.ceil(size / piece.length));
const numbered = (line: (i: number) => string) => Array.from({ length: size / 10 }, (_, i) => line(i)).join('\n');

/** Texts on which a careless parser looks at the same characters again and again. */
const shapes: Readonly<Record<string, string>> = {
  'small mappings': numbered((i) => `k${i}: {a: [1, b, "c"]}`),
  'keys of one mapping': numbered((i) => `key${i}: v`),
  'dash lines': filled('- a\n'),
  'lists nested 200 times': filled(`- ${'['.repeat(200)}${']'.repeat(200)}\n`),
  'a staircase': Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  'pairs in a list': `[${filled('a: b, ')}]`,
  'text in many lines': `a: ${filled('x\n ')}`,
  'quoted text in many lines': `a: "${filled('x\n\n')}"`,
  'blank lines after plain text': `a: b${filled('\n')}`,
  'words that might be keys': filled('- "a"  \n'),
  'literal blocks': filled('- |\n x\n\n'),
  comments: `a: 1\n${filled('# c\n')}`,
  'anchors and properties': filled('- &a !!str\n  x\n'),
  documents: filled('--- a\n'),
  'a key again and again, and lines to count': `${filled('a: 1\n')}${filled('#\n')}a: 2`,
};

describe('the YAML parser reads each character a bounded number of times', () => {
  const { charCodeAt, indexOf } = String.prototype;
  let looks = 0;

  beforeEach(() => {
    String.prototype.charCodeAt = function (at) {
      looks++;
      return charCodeAt.call(this, at);
    };
    String.prototype.indexOf = function (text, from = 0) {
      const found = indexOf.call(this, text, from);
      looks += (found < 0 ? this.length : found) - from;
      return found;
    };
  });

  afterEach(() => {
    String.prototype.charCodeAt = charCodeAt;
    String.prototype.indexOf = indexOf;
  });

  test.each(Object.keys(shapes))('%s', (name) => {
    const text = shapes[name] as string;
    looks = 0;
    parseStream(text, 256);
    const each = looks / text.length;
    expect(each).toBeGreaterThan(0.5);
    expect(each).toBeLessThan(20);
  });
});

describe('aliases are refused before they are expanded', () => {
  const bomb = numbered((i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}, *a${i - 1}`}]`);
  const list = `- &a [${'x, '.repeat(1_000)}]\n${filled('- *a\n')}`;
  const deep = numbered((i) => `a${i}: &a${i} [[[[${i === 0 ? 'x' : `*a${i - 1}`}]]]]`);

  test.each([
    ['a bomb', bomb, 'document contains excessive aliasing'],
    ['a long list', list, 'document contains excessive aliasing'],
    ['a chain that gets deeper', deep, 'exceeded max depth'],
  ])('%s', (_, text, expected) => {
    let message: string | undefined;
    try {
      parseStream(text, 256);
    } catch (error) {
      if (error instanceof YamlProblem) message = error.message;
    }
    expect(message).toBe(expected);
  });
});
