import { describe, expect, test } from 'vitest';
import { parseFlagLines } from './flag-spec.js';
import { parseArguments } from './parse-arguments.js';

const specs = parseFlagLines(`
  -A, --all-namespaces bool=false All.
  --chunk-size int64=500 Size.
  --dry-run string=none?unchanged Dry run.
  -f, --filename stringSlice Files.
  --from-literal stringArray Literals.
  -o, --output string Output.
  --timeout duration=0s Time.
`);

describe('flags', () => {
  test('may stand anywhere, and everything after -- is as it is', () => {
    const { flags, args, dash } = parseArguments(['get', '-o', 'yaml', 'pods', '-A', '--', '-x'], specs);
    expect({ output: flags.string('output'), all: flags.bool('all-namespaces'), args, dash }).toEqual({
      output: 'yaml',
      all: true,
      args: ['get', 'pods', '-x'],
      dash: 2,
    });
  });

  test('short flags share a dash and hold their value', () => {
    const { flags } = parseArguments(['-Aojson', '-f=a,b', '-f', 'c'], specs);
    expect([flags.bool('all-namespaces'), flags.string('output'), flags.strings('filename')]).toEqual([
      true,
      'json',
      ['a', 'b', 'c'],
    ]);
  });

  test('a flag without a value has its NoOptDefVal', () => {
    const { flags } = parseArguments(['--dry-run', '--timeout=1m', '--from-literal=a=b,c'], specs);
    expect([flags.string('dry-run'), flags.number('timeout'), flags.strings('from-literal')]).toEqual([
      'unchanged',
      60_000,
      ['a=b,c'],
    ]);
  });

  test('underscores count as dashes', () => {
    expect(parseArguments(['--chunk_size=7'], specs).flags.number('chunk-size')).toBe(7);
  });

  test.each([
    [['--nonsense'], 'unknown flag: --nonsense'],
    [['-Q'], "unknown shorthand flag: 'Q' in -Q"],
    [['-o'], "flag needs an argument: 'o' in -o"],
    [['--output'], 'flag needs an argument: --output'],
    [['--chunk-size=x'], 'invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      ['--all-namespaces=maybe'],
      'invalid argument "maybe" for "-A, --all-namespaces" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--timeout=5'], 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"'],
  ])('%j fails with: %s', (words, message) => {
    expect(() => parseArguments(words, specs)).toThrow(message);
  });
});
