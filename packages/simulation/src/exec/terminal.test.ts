import { expect, test } from 'vitest';
import { throughTerminal } from './terminal.js';

async function typed(...chunks: string[]) {
  let screen = '';
  async function* keyboard() {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
  }
  const { stdin } = throughTerminal({
    stdin: keyboard(),
    stdout: (chunk) => {
      screen += new TextDecoder().decode(chunk);
    },
  });
  const lines: string[] = [];
  for await (const line of stdin) lines.push(new TextDecoder().decode(line));
  return { lines, screen };
}

test.each([
  {
    what: 'lines are handed over as they are ended',
    keys: ['l', 's\re', 'cho\r'],
    lines: ['ls\n', 'echo\n'],
    screen: 'ls\r\necho\r\n',
  },
  { what: 'what is typed can be taken back', keys: ['ax\x7fb\r'], lines: ['ab\n'], screen: 'ax\b \bb\r\n' },
  { what: 'an interrupt forgets the line', keys: ['abc\x03d\r'], lines: ['d\n'], screen: 'abc^C\r\nd\r\n' },
  {
    what: 'the end of input ends it, at the beginning of a line',
    keys: ['a\x04\r\x04b\r'],
    lines: ['a\n'],
    screen: 'a\r\n',
  },
])('$what', async ({ keys, lines, screen }) => {
  expect(await typed(...keys)).toEqual({ lines, screen });
});

test('the output of a process gets CRLF line ends', () => {
  let screen = '';
  async function* nothing() {}
  const { stdout } = throughTerminal({
    stdin: nothing(),
    stdout: (chunk) => {
      screen += new TextDecoder().decode(chunk);
    },
  });
  stdout(new TextEncoder().encode('a\nb\n'));
  expect(screen).toBe('a\r\nb\r\n');
});
