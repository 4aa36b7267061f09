import { CommandError } from './command-error.js';
import type { FlagSpec } from './flag-spec.js';
import { FlagValues } from './flag-values.js';

export interface ParsedArguments {
  readonly flags: FlagValues;
  readonly args: readonly string[];
  /** Number of `args` before `--`; -1 without one. */
  readonly dash: number;
  readonly wantsHelp: boolean;
}

/** Parses the arguments of a command line: flags anywhere, everything after `--` unchanged. */
export function parseArguments(words: readonly string[], specs: readonly FlagSpec[]): ParsedArguments {
  const flags = new FlagValues(specs);
  const args: string[] = [];
  let dash = -1;
  let wantsHelp = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') {
      dash = args.length;
      args.push(...words.slice(i + 1));
      break;
    }
    if (word.startsWith('--')) {
      const name = nameOf(word);
      if (name === 'help' && !flags.has('help')) wantsHelp = true;
      else i += takeLong(word, words[i + 1], flags);
    } else if (word.startsWith('-') && word.length > 1) {
      if (word === '-h') wantsHelp = true;
      else i += takeShort(word, words[i + 1], { flags, specs });
    } else args.push(word);
  }
  return { flags, args, dash, wantsHelp };
}

/** The name of a long flag; underscores count as dashes. */
export function nameOf(word: string): string {
  return (word.slice(2).split('=', 1)[0] ?? '').replaceAll('_', '-');
}

/** Returns how many of the next arguments it used. */
function takeLong(word: string, next: string | undefined, flags: FlagValues): number {
  const name = nameOf(word);
  if (word.slice(2).startsWith('=') || name === '') throw new CommandError(`bad flag syntax: ${word}`);
  const spec = flags.spec(name);
  if (!spec) throw new CommandError(`unknown flag: --${name}`);
  const mark = word.indexOf('=');
  if (mark >= 0) flags.set(name, word.slice(mark + 1));
  else if (spec.bareValue !== undefined) flags.set(name, spec.bareValue);
  else if (next !== undefined) {
    flags.set(name, next);
    return 1;
  } else throw new CommandError(`flag needs an argument: --${name}`);
  return 0;
}

/** Several short flags may share a dash; the last one may have its value right behind. */
function takeShort(
  word: string,
  next: string | undefined,
  { flags, specs }: { flags: FlagValues; specs: readonly FlagSpec[] },
): number {
  let rest = word.slice(1);
  while (rest !== '') {
    const letter = rest[0] ?? '';
    const spec = specs.find(({ shorthand }) => shorthand === letter);
    if (!spec) throw new CommandError(`unknown shorthand flag: '${letter}' in -${rest}`);
    const after = rest.slice(1);
    if (after.startsWith('=')) {
      flags.set(spec.name, after.slice(1));
      return 0;
    }
    if (spec.bareValue !== undefined) {
      flags.set(spec.name, spec.bareValue);
      rest = after;
      continue;
    }
    if (after !== '') {
      flags.set(spec.name, after);
      return 0;
    }
    if (next === undefined) throw new CommandError(`flag needs an argument: '${letter}' in -${rest}`);
    flags.set(spec.name, next);
    return 1;
  }
  return 0;
}
